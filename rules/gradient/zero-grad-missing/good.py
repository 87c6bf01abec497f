import torch
import torch.nn.functional as F
from somewhere import advance


def at_the_top(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def at_the_bottom(net, batches, opt):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def between_forward_and_backward(net, batches, opt):
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


def accumulation(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def of_the_module(net, batches, opt):
    for x, y in batches:
        net.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def by_hand_to_none(net, batches, opt):
    for x, y in batches:
        for p in net.parameters():
            p.grad = None
        F.mse_loss(net(x), y).backward()
        opt.step()


def by_hand_to_zero(net, batches, opt):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()
        for p in net.parameters():
            p.grad.zero_()


def clear(optimizers):
    for optimizer in optimizers:
        optimizer.zero_grad()


def through_a_helper(net, batches, opt, opt_bias):
    for x, y in batches:
        clear([opt, opt_bias])
        F.mse_loss(net(x), y).backward()
        opt.step()
        opt_bias.step()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters())

    def update(self, loss):
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def fit(self, batches):
        for x, y in batches:
            self.update(F.mse_loss(self.net(x), y))


def lbfgs(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        opt.step(closure)


def functional_gradients(net, batches, opt):
    for x, y in batches:
        grads = torch.autograd.grad(F.mse_loss(net(x), y), list(net.parameters()))
        for p, g in zip(net.parameters(), grads):
            p.grad = g
        opt.step()


def fresh_leaves(net, images, labels):
    for x, y in zip(images, labels):
        delta = torch.zeros_like(x).requires_grad_()
        opt = torch.optim.SGD([delta], lr=0.1)
        F.cross_entropy(net(x + delta), y).backward()
        opt.step()


def no_step(net, batches):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()


def one_shot(net, x, y, opt):
    F.mse_loss(net(x), y).backward()
    opt.step()


def two_losses_one_step(critic, batches, opt):
    for real, fake in batches:
        opt.zero_grad()
        critic(real).mean().backward()
        critic(fake).mean().backward()
        opt.step()


def the_other_holds_all_parameters(batches):
    net = torch.nn.Linear(4, 1)
    fast = torch.optim.SGD([net.weight], lr=0.1)
    everything = torch.optim.SGD(net.parameters(), lr=0.01)
    for x, y in batches:
        everything.zero_grad()
        F.mse_loss(net(x), y).backward()
        fast.step()
        everything.step()


def by_code_that_is_not_seen(net, batches, opt):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()
        advance(opt)


def by_a_method_that_is_not_seen(model, batches, opt):
    for x, y in batches:
        F.mse_loss(model(x), y).backward()
        opt.step()
        model.clear_gradients()


def a_list_of_optimizers(net, batches, optimizers):
    for x, y in batches:
        for optimizer in optimizers:
            optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        for optimizer in optimizers:
            optimizer.step()


def a_model_of_unknown_kind(gen, critic, opt_c, reals):
    for real in reals:
        critic.zero_grad()
        critic(gen(real)).mean().backward()
        opt_c.step()
