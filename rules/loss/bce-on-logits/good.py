import torch
import torch.nn.functional as F
from torch import nn


def sigmoid_first(x, y):
    fc = nn.Linear(8, 1)
    return F.binary_cross_entropy(torch.sigmoid(fc(x)), y)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).view(-1)


def through_the_model(x, y):
    return nn.BCELoss()(Critic()(x), y)


def softmax_of_two_classes(x, y):
    fc = nn.Linear(8, 2)
    return F.binary_cross_entropy(fc(x).softmax(1)[:, 1], y)


def with_logits(x, y):
    fc = nn.Linear(8, 1)
    return F.binary_cross_entropy_with_logits(fc(x), y)


def not_known(critic, x, y):
    return nn.BCELoss()(critic(x), y)


def scaled_by_hand(x, y):
    fc = nn.Linear(8, 1)
    return F.binary_cross_entropy((torch.tanh(fc(x)) + 1) / 2, y)
