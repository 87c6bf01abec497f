"""A small training loop. argv: what it does besides (see below)."""
import os
import signal
import sys

import torch
from torch import nn
from torch.nn import functional as F

wishes = sys.argv[1:]
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
batch = torch.randn(64, 256, device="cuda")
target = torch.zeros(64, dtype=torch.long, device="cuda")
losses = []


def step(number):
    loss = F.cross_entropy(model(batch), target)  # line 19: the loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if "item" in wishes:
        losses.append(loss.item())  # line 24: waits
    if "keep" in wishes:
        losses.append(loss)
    if "interrupt" in wishes and number == 3:
        os.kill(os.getpid(), signal.SIGINT)
    if "killed" in wishes and number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if "copies" in wishes:
        batch.copy_(torch.randn(64, 256).pin_memory(), non_blocking=True)
    if "too much" in wishes and number == 2:
        torch.empty(200 << 30, dtype=torch.uint8, device="cuda")  # line 34: does not fit


for number in range(10):
    step(number)
print("done")
