import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.norm = nn.GroupNorm(4, 8)

    def forward(self, x):
        return self.norm(self.fc(x))


def another_norm(batches, every):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def no_accumulation(batches):
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
