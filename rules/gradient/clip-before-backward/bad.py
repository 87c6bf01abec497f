import torch
import torch.nn.functional as F


def before_backward(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-backward
        loss.backward()
        opt.step()


def at_the_top(net, batches, opt):
    for x, y in batches:
        torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)  # expect: clip-before-backward
        F.mse_loss(net(x), y).backward()
        opt.step()
        opt.zero_grad()


def one_step(net, x, y, opt):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-backward
    loss.backward()
    opt.step()
