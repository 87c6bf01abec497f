import torch
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, paths, transform):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.transform(Image.open(self.paths[i])), i


def fit(net, paths, transform, opt):
    loader = DataLoader(Pictures(paths, transform), batch_size=32, shuffle=True)  # expect: loader-in-main-process
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def explicitly(net, paths, transform, opt):
    pictures = Pictures(paths, transform)
    loader = DataLoader(pictures, batch_size=32, shuffle=True, num_workers=0)  # expect: loader-in-main-process
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
