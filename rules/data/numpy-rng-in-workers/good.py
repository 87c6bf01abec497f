import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class DrawsFromTorch(Dataset):
    def __init__(self, data):
        self.data = data
        self.order = np.random.permutation(len(data))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        shift = int(torch.randint(0, 8, (1,)))
        return self.data[self.order[i]] + shift


class MadeForEachSample(Dataset):
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        return self.data[i] + rng.normal(0, 1)


def loaders(data):
    return DataLoader(DrawsFromTorch(data), num_workers=4), DataLoader(MadeForEachSample(data), num_workers=4)
