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
    for x, y in batches:
        hits += (net(x).argmax(1) == y).float().mean()
    net.train()
    return hits / len(batches)


@torch.no_grad()
def evaluate(net, batches):
    return [net(x) for x, _ in batches]


def the_caller_sets_the_mode(train_loader, val_loader, epochs):
    net = Small()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        net.train()
        for x, y in train_loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        net.eval()
        evaluate(net, val_loader)


@torch.no_grad()
def mc_evaluate(net, batches, samples):
    net.eval()
    net.train()
    return [torch.stack([net(x) for _ in range(samples)]) for x, _ in batches]


def fakes_without_a_graph(gen, critic, reals, opt):
    gen.train()
    for real in reals:
        with torch.no_grad():
            fake = gen(real)
        opt.zero_grad()
        (critic(fake).mean() - critic(real).mean()).backward()
        opt.step()
