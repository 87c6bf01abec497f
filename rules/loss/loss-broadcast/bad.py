import torch
import torch.nn.functional as F
from torch import nn


def a_layer(x, y):
    fc = nn.Linear(8, 1)
    return F.mse_loss(fc(x), y.view(-1))  # expect: loss-broadcast


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())

    def forward(self, x):
        return self.net(x)


def through_the_model(x, y):
    criterion = nn.SmoothL1Loss()
    return criterion(Regressor()(x), y.flatten().float())  # expect: loss-broadcast


def the_other_way(x, y):
    fc = nn.Linear(8, 1)
    return F.l1_loss(fc(x).squeeze(-1), y.view(-1, 1))  # expect: loss-broadcast


def a_layer_as_in_cpp(x, y):
    fc = torch.nn.Linear(8, 1)
    return F.mse_loss(fc(x), y.flatten())  # expect: loss-broadcast
