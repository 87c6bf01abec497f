"""Contexts: guards, what holds them, and everything else."""
from contextlib import nullcontext

import torch
from torch.cuda.amp import autocast

ctx = nullcontext() if torch.cuda.is_available() else torch.autocast("cpu", dtype=torch.bfloat16)
mixed = torch.no_grad() if ctx else torch.enable_grad()


@torch.inference_mode()
@cached
def predict(net, x):
    return net(x)


@smart_inference_mode()
def wrapped(net, x):
    return net(x)


class Model:
    quiet = torch.no_grad

    @torch.no_grad
    def sample(self, x):
        return x


def scopes(net, x, amp, lock, phase):
    with ctx:
        net(x)
    with mixed:
        net(x)
    with torch.no_grad(), autocast(enabled=amp), lock:
        net(x)
    with torch.set_grad_enabled(phase == "train"):
        net(x)
    with net.no_sync():
        net(x)
    with (open("a") as a, open("b") as b):
        a.write(b.read())
    with net.autocast():
        net(x)
    with pair() as (c, d):
        c(d)
    torch.no_grad()
