import torch
import torch.nn.functional as F
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.norm(self.fc(x))
        out += x
        return self.act(out)


class NewTensor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        out = torch.tanh(self.fc(x))
        out = out + x
        return out * 2


@torch.no_grad()
def nothing_is_saved(net, x):
    out = torch.sigmoid(net(x))
    out.mul_(255).clamp_(0, 255)
    return out


def of_data(x):
    out = torch.sigmoid(x)
    out *= 2
    return out


def a_copy(net, x, y):
    out = torch.sigmoid(net(x))
    shown = out.detach().clone()
    shown.mul_(255)
    F.mse_loss(out, y).backward()
    return shown


def marked_after_backward(f, g, given):
    h = torch.relu(f + g)
    h.backward(given)
    h[0] = -1
    return h


class Losses(torch.nn.Module):
    def forward(self, x, suffix):
        dense = torch.exp(x)
        result = {"losses": {}, "size": 1}
        result["losses"]["dense" + suffix] = dense
        return result
