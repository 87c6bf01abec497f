import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.bn = nn.BatchNorm1d(8)

    def forward(self, x):
        return self.bn(self.fc(x))


def a_class(batches, every):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for i, (x, y) in enumerate(batches):
        loss = F.mse_loss(net(x), y) / every  # expect: batchnorm-with-accumulation
        loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def a_sequence(next_batch, steps, every):
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        opt.zero_grad()
        for _ in range(every):
            x, y = next_batch()
            out = net(x)  # expect: batchnorm-with-accumulation
            (F.mse_loss(out, y) / every).backward()
        opt.step()


def counted_by_hand(batches, every):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    i = 0
    for x, y in batches:
        loss = F.mse_loss(net(x), y) / every  # expect: batchnorm-with-accumulation
        loss.backward()
        i += 1
        if i % every == 0:
            opt.step()
            opt.zero_grad()
