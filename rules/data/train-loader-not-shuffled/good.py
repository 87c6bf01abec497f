import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        return iter([])


def shuffled(net, data, opt):
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def sampled(net, data, opt, sampler):
    loader = DataLoader(data, batch_size=32, sampler=sampler, num_workers=4)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def a_stream(net, opt):
    loader = DataLoader(Stream(), batch_size=32, num_workers=4)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def validation(net, val_data):
    loader = DataLoader(val_data, batch_size=32, num_workers=4)
    with torch.no_grad():
        return [net(x) for x, _ in loader]


def a_time_series(net, time_series, opt):
    loader = DataLoader(time_series, batch_size=32, num_workers=4)
    for x, y in loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
