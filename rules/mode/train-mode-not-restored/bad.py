import torch
import torch.nn.functional as F
from torch import nn


def make_net():
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))


@torch.no_grad()
def validate(net, batches):
    net.eval()
    return torch.stack([F.cross_entropy(net(x), y) for x, y in batches]).mean()


def through_a_helper(net, train_batches, val_batches, opt, every):
    net.train()
    for i, (x, y) in enumerate(train_batches):
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
        if (i + 1) % every == 0:
            validate(net, val_batches)  # expect: train-mode-not-restored


def once_an_epoch(net, train_batches, val_batches, opt, epochs):
    net.train()
    for _ in range(epochs):
        for x, y in train_batches:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        net.eval()  # expect: train-mode-not-restored
        with torch.no_grad():
            for x, y in val_batches:
                net(x)


class Trainer:
    def __init__(self, net, opt):
        self.net = net
        self.opt = opt

    def train_epoch(self, batches):
        for x, y in batches:
            self.opt.zero_grad()
            F.cross_entropy(self.net(x), y).backward()
            self.opt.step()

    @torch.no_grad()
    def test(self, batches):
        self.net.eval()
        return sum(float((self.net(x).argmax(1) == y).float().mean()) for x, y in batches)

    def fit(self, train, val, epochs):
        self.net.train()
        for _ in range(epochs):
            self.train_epoch(train)
            self.test(val)  # expect: train-mode-not-restored


def only_another_model_is_restored(net, critic, batches, opt):
    for x, y in batches:
        critic.train()
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
        net.eval()  # expect: train-mode-not-restored


def in_one_function(net, train, val, opt, epochs):
    net.train()
    for epoch in range(epochs):
        for x, y in train:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        with torch.no_grad():
            net.eval()  # expect: train-mode-not-restored
            for x, y in val:
                net(x)
