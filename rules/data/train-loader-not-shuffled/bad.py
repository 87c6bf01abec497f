import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def by_default(net, data, opt, epochs):
    loader = DataLoader(data, batch_size=32, num_workers=4)  # expect: train-loader-not-shuffled
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()


def explicitly(net, data, opt):
    train_loader = DataLoader(data, 32, False, num_workers=4)  # expect: train-loader-not-shuffled
    for x, y in train_loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def for_one_epoch(net, data, opt):
    loader = DataLoader(data, batch_size=32, num_workers=4)  # expect: train-loader-not-shuffled
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
