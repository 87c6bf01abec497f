import torch
import torch.nn.functional as F
from torch import nn


def kept(net, loader, opt, device):
    net.to(device)
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        opt.zero_grad()
        F.cross_entropy(net(images), labels).backward()
        opt.step()


def in_place(x):
    y = torch.exp(x)
    y.clamp_(0, 1)
    y.unsqueeze_(0)
    y.requires_grad_()
    return y


def a_module_moves_itself(device):
    net = nn.Linear(4, 4)
    net.to(device)
    net.half()
    net.cuda()
    return net


def a_batch_that_moves_itself(net, loader, device):
    for batch in loader:
        batch.to(device)
        net(batch)


def not_known(thing, device):
    thing.to(device)
    return thing


def checked_by_name(x, names):
    names.add(x)
    names.view("a")
    return names


def returned(x):
    return x.to("cuda")


def merged(layer, x, dtype):
    layer.bias.data.add_(x.squeeze()).to(dtype)
