"""Classes: members, methods, what stands in a body, nesting."""
from dataclasses import dataclass, field
from enum import Enum

import torch
from torch import nn


class Mode(Enum):
    FAST = 1
    SLOW = 2


@dataclass
class Config:
    width: int = 8
    names: list = field(default_factory=list)

    @property
    def double(self):
        return self.width * 2

    @staticmethod
    def parse(text):
        return text.split(",")

    @classmethod
    def default(cls):
        return cls(4)


class Base:
    def setup(this, n):
        this.n = n

    def run(self):
        self.before()
        self.missing()
        return self.n


class Child(Base):
    scale = torch.ones(1)

    def __init__(self, n, mode=Mode.FAST):
        super().__init__(n)
        self.setup(n)
        self.net = nn.Linear(n, n)
        self.hooks = [self.before, Config.parse]
        self.config = Config(n)

    def before(self):
        super().run()

    def __call__(self, x):
        class Local:
            def inner(self):
                return x

        def helper():
            nonlocal x
            x = self.net(x)
            return Local()

        return helper().inner()


def use(mode):
    child = Child(3)
    child(1)
    child.run()
    if mode == Mode.SLOW:
        Config.parse("a")
    return child.config.double
