import torch
import torch.nn.functional as F
from somewhere import finish_step


def a_step(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def the_caller_steps(net, x, y, opt):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()


def code_that_is_not_seen_steps(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        finish_step(opt)


def by_hand(net, batches, opt, rate):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= rate * p.grad


def all_optimizers_step(nets, batches, optimizers):
    for x, y in batches:
        for opt in optimizers:
            opt.zero_grad()
        sum(F.mse_loss(net(x), y) for net in nets).backward()
        for opt in optimizers:
            opt.step()


def saliency(net, images):
    maps = []
    for image in images:
        image.requires_grad_()
        net(image).max().backward()
        maps.append(image.grad)
    return maps
