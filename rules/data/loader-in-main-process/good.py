import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Pictures(Dataset):
    def __init__(self, paths, transform):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.transform(self.paths[i]), i


def with_workers(net, paths, transform, opt, workers):
    loader = DataLoader(Pictures(paths, transform), batch_size=32, shuffle=True, num_workers=workers)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def in_memory(net, xs, ys, opt):
    loader = DataLoader(TensorDataset(xs, ys), batch_size=32, shuffle=True)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def only_evaluated(net, paths, transform):
    loader = DataLoader(Pictures(paths, transform), batch_size=32)
    with torch.no_grad():
        return [net(x) for x, _ in loader]
