import torch
import torch.nn.functional as F
from torch import nn


def a_new_head(net, batches, classes):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Linear(512, classes)  # expect: optimizer-holds-old-params
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
