import torch
import torch.nn.functional as F
from torch import nn


def cast(net, x, label):
    return F.nll_loss(F.log_softmax(net.fc(x), 1), label.float())  # expect: class-target-float


def a_loss_module(net, loader):
    criterion = nn.CrossEntropyLoss()
    for x, y in loader:
        criterion(net.fc(x), y.to(torch.float32))  # expect: class-target-float


def made_as_float(net, x, n):
    target = torch.zeros(n)
    return F.nll_loss(F.log_softmax(net.fc(x), 1), target)  # expect: class-target-float


def a_type(net, x, y):
    target = y.type(torch.float)
    return F.cross_entropy(net.fc(x), target.view(-1))  # expect: class-target-float


def cast_before(net, x, label):
    target = label.to(torch.float32)
    return F.nll_loss(F.log_softmax(net(x), 1), target)  # expect: class-target-float
