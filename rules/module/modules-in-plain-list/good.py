import torch
from torch import nn


class InAModuleList(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(n)])
        self.more = nn.ModuleList()
        for _ in range(n):
            self.more.append(nn.Linear(8, 8))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class BuiltFromAList(nn.Module):
    def __init__(self, n):
        super().__init__()
        layers = []
        for _ in range(n):
            layers += [nn.Linear(8, 8), nn.ReLU()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class ListAndRegistered(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = []
        for i in range(n):
            layer = nn.Linear(8, 8)
            self.add_module(f"layer{i}", layer)
            self.layers.append(layer)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class ListAndSequential(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 8)]
        self.net = nn.Sequential(*self.layers)

    def forward(self, x):
        return self.net(x)


class HiddenTeacher(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.teacher = [teacher]
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x), self.teacher[0](x)


class WithoutWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.acts = [nn.ReLU(), nn.Tanh()]
        self.sizes = [8, 16]
        self.losses = {"ce": nn.CrossEntropyLoss()}
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.acts[0](self.fc(x))


class NoModule:
    def __init__(self):
        self.nets = [nn.Linear(4, 4), nn.Linear(4, 4)]

    def parameters(self):
        return [p for net in self.nets for p in net.parameters()]
