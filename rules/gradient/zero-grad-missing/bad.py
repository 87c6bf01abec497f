import torch
import torch.nn.functional as F
from somewhere import make_schedule


def plain(net, x, y, opt, steps):
    for _ in range(steps):
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()  # expect: zero-grad-missing


def only_the_other_optimizer_is_cleared(gen, critic, opt_g, opt_c, reals):
    for real in reals:
        loss_c = F.softplus(critic(gen(real).detach())).mean()
        loss_c.backward()
        opt_c.step()  # expect: zero-grad-missing
        opt_g.zero_grad()
        loss_g = F.softplus(-critic(gen(real))).mean()
        loss_g.backward()
        opt_g.step()


def train_step(net, x, y, opt):
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()  # expect: zero-grad-missing
    return loss.detach()


def through_a_helper(net, batches, opt):
    for x, y in batches:
        train_step(net, x, y, opt)


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)

    def step(self, x, y):
        loss = F.mse_loss(self.net(x), y)
        loss.backward()
        self.opt.step()  # expect: zero-grad-missing

    def fit(self, batches, epochs):
        for _ in range(epochs):
            for x, y in batches:
                self.step(x, y)


def through_a_scaler(net, loader, opt, scaler):
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt)  # expect: zero-grad-missing
        scaler.update()


def accumulation_that_never_clears(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()  # expect: zero-grad-missing


def another_modules_gradients_are_cleared(x, y, steps):
    net = torch.nn.Linear(4, 1)
    other = torch.nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        other.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()  # expect: zero-grad-missing


def cleared_in_the_next_loop_only(net, batches, opt, steps):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()  # expect: zero-grad-missing
    for x, y in batches[:steps]:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def unseen_code_before_the_loop(net, batches):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = make_schedule(opt)
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()  # expect: zero-grad-missing
        scheduler.step()


def a_moving_average_of_the_model(net, ema, batches, opt):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()  # expect: zero-grad-missing
        ema.update(net)
