import torch
import torch.nn.functional as F


def every_epoch(net, batches, epochs, lr):
    for epoch in range(epochs):
        opt = torch.optim.Adam(net.parameters(), lr=lr * 0.9**epoch)  # expect: optimizer-rebuilt-in-loop
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


def every_step(net, batches):
    for x, y in batches:
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)  # expect: optimizer-rebuilt-in-loop
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def train_epoch(net, batches):
    opt = torch.optim.AdamW(net.parameters())
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def through_a_helper(net, batches, epochs):
    for _ in range(epochs):
        train_epoch(net, batches)  # expect: optimizer-rebuilt-in-loop
