import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.token = nn.Parameter(torch.zeros(1, 8))
        self.register_buffer("at", torch.arange(16))

    def forward(self, x):
        y = self.fc(x) + torch.randn_like(x)
        y = y + torch.randn(x.size(0), 8, device=x.device)
        y = y + torch.zeros(x.size(0), 8).to(x)
        y = y + x.new_zeros(x.size(0), 8)
        mask = torch.ones(8, 8)
        mask = mask.to(x.device)
        return y * torch.tensor(0.5) + mask[0] + self.token


class OnlyIndexes(nn.Module):
    def forward(self, x):
        order = torch.randperm(x.size(0))
        return x[order]


def main(device):
    return Noise().to(device), OnlyIndexes().to(device)


class Sizes(nn.Module):
    """A size is on no device, and an index may be on the host."""

    def forward(self, x):
        offset = torch.arange(0, 4) * x.size(1)
        width = torch.randint(0, 8, size=(1,)).item()
        start = torch.randint(0, 8, size=(1,))
        mask = torch.zeros(x.shape, dtype=torch.bool, device=x.device)
        mask[0, start : start + width] = True
        return x.masked_fill(mask, 0), offset
