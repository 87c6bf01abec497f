"""What values are: constructors, annotations, use, then names."""
from typing import Optional

import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler as Scaler
from torch.optim import *
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader

from losses import FocalLoss
from models import Backbone, build


class Wrapped(nn.Module):
    def __init__(self, width: int, kind=nn.ReLU):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.trunk = Backbone(width)
        self.activation = kind()
        self.criterion = FocalLoss()

    def forward(self, x):
        for layer in self.layers:
            x = self.activation(layer(x))
        return self.trunk(x)

    def loss(self, x, y):
        return self.criterion(self(x), y)


class Warmup:
    def step(self):
        return 1


class Lookahead(torch.optim.Optimizer):
    def step(self, closure=None):
        super().step(closure)


def by_constructor(data):
    first = Wrapped(8).to("cuda")
    second = SGD(first.parameters(), lr=0.1)
    third = StepLR(second, 10)
    fourth = Scaler()
    fifth = DataLoader(data)
    sixth = Lookahead(first.parameters())
    seventh = Warmup()
    for x, y in fifth:
        fourth.scale(first.loss(first(x), y)).backward()
        fourth.step(second)
        fourth.update()
        third.step()
        sixth.step()
        seventh.step()
        float(x), float(len(data)), int(y)


def by_annotation(a: torch.Tensor, b: Optional[nn.Module], c: "torch.Tensor", d: torch.optim.Optimizer | None):
    b(a)
    d.step()
    float(a)


def by_use(first, second, third, fourth, fifth):
    first.eval()
    first(third)
    second.param_groups
    second.step()
    fourth.get_last_lr()
    fourth.step()
    fifth.zero_grad()
    fifth.step()


def by_name(model, optimizer, lr_scheduler, criterion, thing, args, env, trainer, accelerator):
    out = model(thing)
    loss = criterion(out, thing)
    accelerator.backward(loss)
    optimizer.step()
    lr_scheduler.step()
    thing.step()
    env.step(loss.item())
    trainer.train()
    int(args.size)


def by_call(dice_loss, head_a, lstm, x, y):
    loss, parts = dice_loss(x, y)
    total = dice_loss(x, y)
    out, state = lstm(x)
    if x.is_xpu and head_a(out) is None:
        return parts


def from_factory():
    model, opt = make()
    model.eval()
    other = build(opt).eval()
    return other(model(1))


def make():
    net = Wrapped(4)
    return net, Adam(net.parameters())
