import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        noise = torch.randn(x.size(0), 8)  # expect: device-mismatch-in-forward
        return self.fc(x) + noise


class Recurrent(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.lstm = nn.LSTM(8, hidden)
        self.hidden = hidden

    def forward(self, x):
        h0 = torch.zeros(1, x.size(1), self.hidden)  # expect: device-mismatch-in-forward
        out, _ = self.lstm(x, (h0, h0))
        return out


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(16, 8)

    def forward(self, x):
        at = torch.arange(x.size(1)).unsqueeze(0)  # expect: device-mismatch-in-forward
        return x + self.embed(at)


class Joined(nn.Module):
    def forward(self, x):
        token = torch.ones(x.size(0), 1)  # expect: device-mismatch-in-forward
        return torch.cat([token, x], dim=1)


class SizesInAList(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        noise = torch.randn([x.size(0), 8])  # expect: device-mismatch-in-forward
        return self.fc(x) + noise


def main(device):
    moved = Noise().to(device), Recurrent(4).to(device), Positions().to(device)
    return moved, Joined().to(device), SizesInAList().to(device)
