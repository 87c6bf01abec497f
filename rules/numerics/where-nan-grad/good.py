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
