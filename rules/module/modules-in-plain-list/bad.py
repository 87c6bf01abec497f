import torch
from torch import nn


class Comprehension(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(n)]  # expect: modules-in-plain-list

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Appended(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.convs = []  # expect: modules-in-plain-list
        for i in range(n):
            conv = nn.Conv2d(8, 8, 3)
            self.convs.append(conv)

    def forward(self, x):
        return [conv(self.first(x)) for conv in self.convs]


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"a": nn.Linear(8, 1), "b": nn.Linear(8, 2)}  # expect: modules-in-plain-list

    def forward(self, x, which):
        return self.heads[which](x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x)


class OwnBlocks(nn.Module):
    def __init__(self, depth):
        super().__init__()
        blocks = []
        for _ in range(depth):
            blocks.append(Block())
        self.blocks = blocks  # expect: modules-in-plain-list

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = (nn.Linear(4, 4), nn.Linear(4, 4))  # expect: modules-in-plain-list

    def forward(self, x):
        return self.pair[0](x) + self.pair[1](x)


class Norms(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norms = {}  # expect: modules-in-plain-list
        for i in range(n):
            self.norms[i] = nn.BatchNorm1d(4)

    def forward(self, x, i):
        return self.norms[i](x)


class Repeated(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.stack = [nn.Dropout(0.5)] * n  # expect: modules-in-plain-list

    def forward(self, x):
        for one in self.stack:
            x = one(x)
        return x


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = []  # expect: modules-in-plain-list
        for i in range(depth):
            self.layers.append(nn.Linear(8, 8))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
