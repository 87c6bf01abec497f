import torch
import torch.nn.functional as F


def in_every_batch(net, batches, opt, scheduler):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        scheduler.step()  # expect: scheduler-before-optimizer
        opt.step()


def at_the_top_of_the_epoch(net, batches, opt, scheduler, epochs):
    for _ in range(epochs):
        scheduler.step()  # expect: scheduler-before-optimizer
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, 100000)

    def fit(self, batches):
        for x, y in batches:
            self.opt.zero_grad()
            F.mse_loss(self.net(x), y).backward()
            self.scheduler.step()  # expect: scheduler-before-optimizer
            self.opt.step()
