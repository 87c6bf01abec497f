import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, p=0.3):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.drop = nn.Dropout(p)
        self.p = p

    def forward(self, x):
        x = F.dropout(x, self.p, self.training)
        x = F.dropout(x, p=0.5, training=self.training)
        x = torch.dropout(x, 0.5, self.training)
        x = F.dropout(x, p=0.0)
        if self.training:
            x = F.dropout(x, p=0.2)
        return self.drop(self.fc(x))


class MonteCarlo(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5, training=True)

    def mc_forward(self, x):
        return F.dropout(x, 0.5)


class Passes(nn.Module):
    def forward(self, x, **options):
        return F.dropout(x, **options)


def augment(x):
    return F.dropout(x, 0.1)
