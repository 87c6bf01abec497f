import torch
import torch.nn.functional as F
from torch import nn


def functional(net, x, y):
    scores = net.fc(x)
    return F.cross_entropy(torch.softmax(scores, dim=1), y)  # expect: softmax-before-cross-entropy


def a_method_and_a_view(net, x, y):
    out = net(x).softmax(dim=-1)
    out = out.view(-1, 10)
    return nn.CrossEntropyLoss()(out, y)  # expect: softmax-before-cross-entropy


class Head(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.fc = nn.Linear(8, classes)
        self.act = nn.Softmax(dim=1)

    def forward(self, x):
        return self.act(self.fc(x))


def through_the_model(x, y, opt):
    head = Head(4)
    criterion = nn.CrossEntropyLoss()
    loss = criterion(head(x), y)  # expect: softmax-before-cross-entropy
    return loss


def a_model_that_is_given(model, x, y, criterion=nn.CrossEntropyLoss()):
    output = model(x)
    return criterion(output, y)  # expect: softmax-before-cross-entropy


def at_the_end_of_a_sequential(x, y):
    seq = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2), nn.Softmax(dim=1))
    return F.cross_entropy(seq(x), y)  # expect: softmax-before-cross-entropy


def clamped(scores, y):
    p = F.softmax(scores, -1).clamp(min=1e-6)
    return F.cross_entropy(input=p, target=y)  # expect: softmax-before-cross-entropy


def only_redundant(scores, y):
    return F.cross_entropy(F.log_softmax(scores, dim=1), y)  # expect: softmax-before-cross-entropy


class Trainer:
    def __init__(self):
        self.seq = nn.Sequential(nn.Linear(4, 4), nn.Softmax(1))
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    def loss(self, x, y):
        return self.criterion(self.seq(x), y)  # expect: softmax-before-cross-entropy


def by_position(net, x, y):
    scores = net(x)
    return F.cross_entropy(torch.softmax(scores, 1), y)  # expect: softmax-before-cross-entropy
