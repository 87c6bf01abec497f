import torch
import torch.nn.functional as F
import os

if os.environ.get("DEBUG"):
    torch.autograd.set_detect_anomaly(True)


def train(net, batches, opt, debug):
    torch.autograd.set_detect_anomaly(debug)
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def off(net, batches, opt):
    torch.autograd.set_detect_anomaly(False)
    train(net, batches, opt, False)


def only_when_a_nan_was_seen(net, x, y):
    with torch.autograd.set_detect_anomaly(mode=False):
        F.mse_loss(net(x), y).backward()
