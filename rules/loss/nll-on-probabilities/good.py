import torch
import torch.nn.functional as F
from torch import nn


def log_softmax(scores, y):
    return F.nll_loss(F.log_softmax(scores, dim=1), y)


def by_hand(scores, y):
    return F.nll_loss(torch.log(torch.softmax(scores, dim=1) + 1e-9), y)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)
        self.out = nn.LogSoftmax(dim=1)

    def forward(self, x):
        return self.out(self.fc(x))


def the_model_does_it(x, y):
    return nn.NLLLoss()(Net()(x), y)


def a_model_that_is_given(model, x, y):
    return F.nll_loss(model(x), y)


def not_known(log_probs, y):
    return F.nll_loss(log_probs, y)
