import torch
import torch.nn.functional as F
from torch import nn


class Projects(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        x = self.conv(x)
        proj = nn.Linear(x.size(-1), 16)  # expect: module-built-in-forward
        return proj(x)


class AtOnce(nn.Module):
    def forward(self, x):
        return nn.BatchNorm2d(x.size(1)).to(x.device)(x)  # expect: module-built-in-forward


class ReplacesAMember(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = None

    def forward(self, x):
        self.fc = nn.Linear(x.size(1), 4)  # expect: module-built-in-forward
        return self.fc(x)


class Inner(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return self.fc(x)


class Outer(nn.Module):
    def forward(self, x):
        return Inner(x.size(1))(x)  # expect: module-built-in-forward


class AParameter(nn.Module):
    def forward(self, x):
        scale = nn.Parameter(torch.ones(1))  # expect: module-built-in-forward
        return x * scale


class InAList(nn.Module):
    def forward(self, x):
        for layer in [nn.Linear(8, 8), nn.ReLU()]:  # expect: module-built-in-forward
            x = layer(x)
        return x
