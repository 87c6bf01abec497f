import torch
import torch.nn.functional as F


def evaluated_inside(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        opt.step(closure)


def evaluated_by_a_helper(evaluate, net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        opt.zero_grad()
        return evaluate(net, x, y)

    for _ in range(steps):
        opt.step(closure)


def adam_does_not_care(net, batches):
    opt = torch.optim.Adam(net.parameters())
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step(lambda: loss)
