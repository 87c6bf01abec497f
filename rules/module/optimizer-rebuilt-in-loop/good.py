import copy

import torch
import torch.nn.functional as F
from torch import nn


def made_once(net, batches, epochs):
    opt = torch.optim.Adam(net.parameters())
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


def a_model_each_round(batches, count):
    for _ in range(count):
        net = nn.Linear(4, 1)
        opt = torch.optim.Adam(net.parameters())
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


def folds_start_anew(net, folds, start):
    for fold in folds:
        net.load_state_dict(start)
        opt = torch.optim.Adam(net.parameters())
        for x, y in fold:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


def when_layers_thaw(net, batches, epochs):
    opt = torch.optim.Adam(net.head.parameters())
    for epoch in range(epochs):
        if epoch == 5:
            opt = torch.optim.Adam(net.parameters())
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


def nothing_to_forget(net, batches, epochs):
    for epoch in range(epochs):
        opt = torch.optim.SGD(net.parameters(), lr=0.1 / (epoch + 1))
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
