import torch
import torch.nn.functional as F


def let_go_before_the_next_round(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(create_graph=True)
        penalty = sum(p.grad.pow(2).sum() for p in net.parameters())
        penalty.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def with_autograd_grad(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        grads = torch.autograd.grad(loss, list(net.parameters()), create_graph=True)
        (loss + sum(g.pow(2).sum() for g in grads)).backward()
        opt.step()


def not_asked_for(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward(create_graph=False)
        opt.step()
