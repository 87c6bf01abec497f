import torch
import torch.nn.functional as F
from torch.optim import lr_scheduler


def once_an_epoch(net, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(opt, step_size=30, gamma=0.1)
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        scheduler.step()


def one_cycle(net, loader, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.OneCycleLR(opt, max_lr=0.1, epochs=epochs, steps_per_epoch=len(loader))
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()


def a_horizon_in_batches(net, loader, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.CosineAnnealingLR(opt, T_max=len(loader) * epochs)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()


def slow_decay(net, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.ExponentialLR(opt, gamma=0.9999)
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()


def many_batches(net, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(opt, 10000)
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()


def annealed_now_and_then(net, batches, opt, criterion, epochs):
    scheduler = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
    for _ in range(epochs):
        for i, (x, y) in enumerate(batches):
            opt.zero_grad()
            criterion(net(x), y).backward()
            opt.step()
            if (i + 1) % 1500 == 0:
                scheduler.step()
