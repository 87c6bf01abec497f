import math

import torch


def masked_first(x):
    inside = torch.where(x > 0, x, torch.ones_like(x))
    return torch.where(x > 0, torch.sqrt(inside), torch.zeros_like(x))


def clamped(p):
    return torch.where(p > 0, p.clamp(min=1e-8).log(), torch.zeros_like(p))


def shifted(x):
    return torch.where(x > 0, torch.sqrt(x + 1e-8), torch.zeros_like(x))


def nothing_singular(x):
    return torch.where(x > 0, x, 0.1 * x)


def about_something_else(x, mask):
    return torch.where(mask, torch.sqrt(x), x)


@torch.no_grad()
def without_gradients(x):
    return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))


def a_constant(x):
    return torch.where(x > 1, x / 2.0, x)


def overlap(a, b, both):
    return torch.where(both > 0, both / (a[:, None] + b - both), torch.zeros(1))


def sinc(t):
    return torch.where(t == 0, torch.tensor(1.0), torch.sin(t) / t)


def kernel(n):
    return sinc(torch.linspace(-1, 1, n) * math.pi)
