import torch
import torch.nn.functional as F
from somewhere import compute_gradients


def backward_comes_first(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()


def code_that_is_not_seen_runs_backward(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        compute_gradients(loss)
        opt.step()


def a_schedule_is_drawn(net, steps):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(opt, 10)
    rates = []
    for _ in range(steps):
        opt.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr())
    return rates


def in_a_closure(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        opt.step(closure)


def gradients_are_written(net, batches, opt):
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        for p, g in zip(net.parameters(), torch.autograd.grad(loss, list(net.parameters()))):
            p.grad = g
        opt.step()
