import torch
import torch.nn.functional as F
from torch import nn


def gate(net, x, y, opt):
    opt.zero_grad()
    open_part = torch.sigmoid(net(x))
    open_part *= 2  # expect: inplace-on-saved-output
    F.mse_loss(open_part, y).backward()
    opt.step()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.act = nn.Tanh()

    def forward(self, x):
        out = self.act(self.fc(x))
        out += x  # expect: inplace-on-saved-output
        return out


class Masked(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        weights = self.fc(x).softmax(dim=-1)
        weights[:, 0] = 0.0  # expect: inplace-on-saved-output
        weights = F.relu(self.fc(weights))
        return weights.add_(1.0)  # expect: inplace-on-saved-output
