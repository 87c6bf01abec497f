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


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        return self.fc(x)


def fit(x, y):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Linear(8, 2)  # expect: optimizer-holds-old-params
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()
