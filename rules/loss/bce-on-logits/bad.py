import torch
import torch.nn.functional as F
from torch import nn


def functional(x, y):
    fc = nn.Linear(8, 1)
    return F.binary_cross_entropy(fc(x), y)  # expect: bce-on-logits


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.main(x).view(-1)


def through_the_model(x, y):
    critic = Critic()
    criterion = nn.BCELoss()
    return criterion(critic(x), y)  # expect: bce-on-logits


def a_model_that_is_given(model, x, y):
    criterion = nn.BCELoss()
    out = model(x)
    return criterion(out, y)  # expect: bce-on-logits


def logarithms(scores, y):
    return F.binary_cross_entropy(F.logsigmoid(scores), y)  # expect: bce-on-logits
