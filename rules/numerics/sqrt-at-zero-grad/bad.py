import torch
import torch.nn.functional as F


def of_a_relu(x):
    return torch.sqrt(F.relu(x))  # expect: sqrt-at-zero-grad


def clamped_to_zero(d):
    return d.clamp(min=0).sqrt()  # expect: sqrt-at-zero-grad


def pairwise(x):
    difference = x.unsqueeze(0) - x.unsqueeze(1)
    return (difference**2).sum(-1).sqrt()  # expect: sqrt-at-zero-grad


def by_index(x):
    d = (x[:, None] - x[None, :]).pow(2).sum(dim=-1)
    return torch.sqrt(d)  # expect: sqrt-at-zero-grad


def a_power(x):
    return torch.relu(x) ** 0.5  # expect: sqrt-at-zero-grad
