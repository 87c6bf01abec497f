import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, p=0.3):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.p = p

    def forward(self, x):
        x = F.dropout(x)  # expect: dropout-ignores-eval
        x = F.dropout(self.fc(x), self.p)  # expect: dropout-ignores-eval
        x = nn.functional.dropout(x, p=0.5)  # expect: dropout-ignores-eval
        x = F.dropout2d(x, p=0.1, inplace=True)  # expect: dropout-ignores-eval
        return self.attend(x)

    def attend(self, x):
        return F.alpha_dropout(x, 0.2)  # expect: dropout-ignores-eval


class Residual(Net):
    def forward(self, x):
        return x + torch.dropout(x, 0.5, True)  # expect: dropout-ignores-eval


class MadeEachTime(nn.Module):
    def forward(self, x):
        return nn.Dropout(0.5)(x)  # expect: dropout-ignores-eval


class ThreeSpellings(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        x = F.dropout(x)  # expect: dropout-ignores-eval
        x = F.dropout(x, p=0.5)  # expect: dropout-ignores-eval
        return torch.dropout(self.fc(x), 0.5, train=True)  # expect: dropout-ignores-eval
