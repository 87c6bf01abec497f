import torch
import torch.nn.functional as F
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))

    def forward(self, x):
        return self.body(x)


@torch.no_grad()
def validate(net, batches):
    net.eval()
    hits = torch.zeros(())
    net.train()  # expect: train-mode-in-validation
    for x, y in batches:
        hits += (net(x).argmax(1) == y).float().mean()
    return hits / len(batches)


def mode_set_once(train_loader, val_loader, epochs):
    net = Small()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        net.train()
        for x, y in train_loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        with torch.no_grad():
            for x, y in val_loader:
                out = net(x)  # expect: train-mode-in-validation
                F.cross_entropy(out, y)


def evaluate(model, loader):
    hits = torch.zeros(())
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum()  # expect: train-mode-in-validation
    return hits


def main(loader):
    net = Small()
    evaluate(net, loader)


@torch.no_grad()
def validate_hits(net, batches):
    hits = torch.zeros(())
    net.train()  # expect: train-mode-in-validation
    for x, y in batches:
        hits += net(x).argmax(1).eq(y).sum()
    return hits
