import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class OwnGenerator(Dataset):
    def __init__(self, data):
        self.data = data
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i] + self.rng.normal(0, 1)  # expect: numpy-rng-in-workers


class Global(Dataset):
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        shift = np.random.randint(0, 8)  # expect: numpy-rng-in-workers
        return self.data[i + shift]


def loaders(data):
    return DataLoader(OwnGenerator(data), num_workers=4), DataLoader(Global(data), num_workers=4)
