import torch
import torch.nn.functional as F


def never_used(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(create_graph=True)  # expect: create-graph-backward
        opt.step()


def used_and_never_let_go(net, x, y):
    loss = F.mse_loss(net(x), y)
    loss.backward(create_graph=True)  # expect: create-graph-backward
    probe = sum((p.grad * torch.randn_like(p)).sum() for p in net.parameters())
    return torch.autograd.grad(probe, list(net.parameters()))


def both_flags(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(retain_graph=True, create_graph=True)  # expect: create-graph-backward
        opt.step()
