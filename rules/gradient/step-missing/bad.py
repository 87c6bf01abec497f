import torch
import torch.nn.functional as F


def no_step(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()  # expect: step-missing


def only_the_scheduler_steps(net, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(opt, 10)
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()  # expect: step-missing
        scheduler.step()


def made_and_never_used(x, y, steps):
    net = torch.nn.Linear(4, 1)
    opt = torch.optim.Adam(net.parameters())
    for _ in range(steps):
        net.zero_grad()
        F.mse_loss(net(x), y).backward()  # expect: step-missing


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())

    def train_batch(self, x, y):
        self.optimizer.zero_grad()
        F.mse_loss(self.net(x), y).backward()  # expect: step-missing

    def fit(self, batches):
        for x, y in batches:
            self.train_batch(x, y)
