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


class Listed(nn.Module):
    """Layers that are members already; the list only names them again."""

    def __init__(self):
        super().__init__()
        self.lin0 = nn.Linear(4, 1)
        self.lin1 = nn.Linear(8, 1)
        self.lins = [self.lin0, self.lin1]


class WrappedLater(nn.Module):
    def __init__(self, kind, n):
        super().__init__()
        if kind == "LSTM":
            self.rnns = [nn.LSTM(8, 8) for _ in range(n)]
        else:
            self.rnns = [nn.GRU(8, 8) for _ in range(n)]
        self.rnns = nn.ModuleList(self.rnns)


class OneOrTheOther(nn.Module):
    def __init__(self, sparse, make):
        super().__init__()
        self.embeds = {} if sparse else nn.ModuleDict()
        if sparse:
            self.embeds["a"] = make()
        else:
            self.embeds["a"] = nn.Embedding(4, 8)


class Hidden(nn.Module):
    """A teacher in a list of one, so that it is not trained."""

    def __init__(self):
        super().__init__()
        self.student = nn.Linear(8, 8)
        self.teacher = [nn.Linear(8, 8)]


class Window(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.pool = nn.AvgPool1d(size)


class Windows(nn.Module):
    """Nothing in them has weights."""

    def __init__(self, sizes):
        super().__init__()
        self.windows = [Window(size) for size in sizes]
