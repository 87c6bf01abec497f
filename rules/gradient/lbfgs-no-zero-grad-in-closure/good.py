import torch
import torch.nn.functional as F


def cleared_inside(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        opt.step(closure)


def cleared_when_gradients_are_wanted(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        if torch.is_grad_enabled():
            net.zero_grad()
        loss = F.mse_loss(net(x), y)
        if loss.requires_grad:
            loss.backward()
        return loss

    for _ in range(steps):
        opt.step(closure)


def sgd_evaluates_once(net, batches):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        def closure():
            loss = F.mse_loss(net(x), y)
            loss.backward()
            return loss

        opt.zero_grad()
        opt.step(closure)


def gradients_by_autograd(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        loss = F.mse_loss(net(x), y)
        for p, g in zip(net.parameters(), torch.autograd.grad(loss, list(net.parameters()))):
            p.grad = g
        return loss

    for _ in range(steps):
        opt.step(closure)
