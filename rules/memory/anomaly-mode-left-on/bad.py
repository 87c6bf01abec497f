import torch
import torch.nn.functional as F

torch.autograd.set_detect_anomaly(True)  # expect: anomaly-mode-left-on


def train(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def in_a_scope(net, batches, opt):
    with torch.autograd.detect_anomaly():  # expect: anomaly-mode-left-on
        train(net, batches, opt)


def switched_on_in_training(net, batches, opt):
    torch.autograd.set_detect_anomaly(True)  # expect: anomaly-mode-left-on
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
