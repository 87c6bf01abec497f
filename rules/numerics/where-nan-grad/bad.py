import torch
import torch.nn.functional as F
from torch import nn


class Safe(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # expect: where-nan-grad


def entropy(p):
    return -torch.where(p > 0, torch.log(p), 0.0).sum()  # expect: where-nan-grad


def divided(a, b):
    return torch.where(b != 0, a / b, torch.zeros_like(a))  # expect: where-nan-grad


def in_two_steps(fc, x):
    y = fc(x)
    root = y.pow(0.5)
    mask = y >= 0
    return torch.where(mask, root, y)  # expect: where-nan-grad


def a_method(x):
    return torch.log(x).where(x > 0, torch.zeros_like(x))  # expect: where-nan-grad
