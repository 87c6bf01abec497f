import torch
import torch.nn.functional as F
from torch.optim import lr_scheduler


def thirty_batches(net, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(opt, step_size=30, gamma=0.1)
    for epoch in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()  # expect: scheduler-wrong-unit


def milestones_in_epochs(net, batches):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.MultiStepLR(opt, milestones=[30, 60, 80])
    for _ in range(90):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()  # expect: scheduler-wrong-unit


def a_horizon_in_epochs(net, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
            scheduler.step()  # expect: scheduler-wrong-unit


def one_cycle_once_an_epoch(net, loader, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.OneCycleLR(opt, max_lr=0.1, epochs=epochs, steps_per_epoch=len(loader))
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        scheduler.step()  # expect: scheduler-wrong-unit


def a_horizon_in_batches(net, loader, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.CosineAnnealingLR(opt, T_max=len(loader) * epochs)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        scheduler.step()  # expect: scheduler-wrong-unit
