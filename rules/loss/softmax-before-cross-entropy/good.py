import torch
import torch.nn.functional as F
from torch import nn


def raw_scores(net, x, y):
    return F.cross_entropy(net.fc(x), y)


def soft_targets(student, teacher, x):
    return F.cross_entropy(student.fc(x), torch.softmax(teacher.fc(x), dim=1))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)
        self.out = nn.Linear(8, 4)

    def forward(self, q, k, v):
        return self.out(self.softmax(q @ k.transpose(-1, -2)) @ v)


def attention_inside(x, y):
    attention = Attention()
    return F.cross_entropy(attention(x, x, x), y)


def probabilities_for_show(net, x, y):
    scores = net.fc(x)
    shown = scores.softmax(1)
    loss = F.cross_entropy(scores, y)
    return loss, shown


class OnlyInEvaluation(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        if self.training:
            return x
        return x.softmax(1)


def a_model_that_differs(x, y):
    net = OnlyInEvaluation()
    return F.cross_entropy(net(x), y)


def log_softmax_with_its_own_loss(scores, y):
    return F.nll_loss(F.log_softmax(scores, 1), y)


def a_weighted_sum_of_values(scores, values, y):
    return F.cross_entropy(scores.softmax(-1) @ values, y)
