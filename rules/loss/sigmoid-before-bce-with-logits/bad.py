import torch
import torch.nn.functional as F
from torch import nn


def functional(net, x, y):
    p = torch.sigmoid(net(x))
    return F.binary_cross_entropy_with_logits(p, y)  # expect: sigmoid-before-bce-with-logits


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).view(-1)


def through_the_model(x, y):
    critic = Critic()
    criterion = nn.BCEWithLogitsLoss()
    return criterion(critic(x), y)  # expect: sigmoid-before-bce-with-logits


def a_model_that_is_given(net, x, y):
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0]))
    out = net(x)
    return criterion(out.squeeze(1), y.float())  # expect: sigmoid-before-bce-with-logits


def a_method(scores, y):
    return F.binary_cross_entropy_with_logits(scores.sigmoid(), y)  # expect: sigmoid-before-bce-with-logits


def softmax_is_no_better(scores, y):
    return F.binary_cross_entropy_with_logits(scores.softmax(1), y)  # expect: sigmoid-before-bce-with-logits
