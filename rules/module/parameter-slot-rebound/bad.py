import torch
import torch.nn.functional as F
from torch import nn


def after_the_optimizer(x, y):
    net = nn.Linear(4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.weight = nn.Parameter(torch.zeros(2, 4))  # expect: parameter-slot-rebound
    F.mse_loss(net(x), y).backward()
    opt.step()


def by_hand(net, lr):
    with torch.no_grad():
        for p in net.parameters():
            p = p - lr * p.grad  # expect: parameter-slot-rebound
