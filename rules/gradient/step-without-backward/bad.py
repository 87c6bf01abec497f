import torch
import torch.nn.functional as F


def no_backward(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        opt.step()  # expect: step-without-backward


def of_another_model(x, y, steps):
    net = torch.nn.Linear(4, 1)
    head = torch.nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        head.zero_grad()
        F.mse_loss(head(x), y).backward()
        loss = F.mse_loss(net(x), y)
        opt.step()  # expect: step-without-backward
    return loss.item()
