import torch
import torch.nn.functional as F
from torch import nn


def both_columns(x, y):
    fc = nn.Linear(8, 1)
    return F.mse_loss(fc(x), y.view(-1, 1))


def both_flat(x, y):
    fc = nn.Linear(8, 1)
    return F.mse_loss(fc(x).squeeze(-1), y.view(-1))


def not_known(x, y):
    fc = nn.Linear(8, 1)
    return F.mse_loss(fc(x), y)


def several_outputs(x, y):
    fc = nn.Linear(8, 4)
    return F.mse_loss(fc(x), y.view(-1))
