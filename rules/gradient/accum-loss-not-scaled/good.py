import torch
import torch.nn.functional as F
from somewhere import my_loss


def divided(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        loss = F.cross_entropy(net(x), y)
        loss = loss / every
        loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def a_sum_over_tokens(net, batches, opt, every, tokens):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        loss = F.cross_entropy(net(x), y, reduction="sum")
        loss.backward()
        if (i + 1) % every == 0:
            for p in net.parameters():
                p.grad.div_(tokens)
            opt.step()
            opt.zero_grad()


def every_step_is_taken(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
        if (i + 1) % every == 0:
            print(i)


def tasks_are_summed(net, tasks, opt, steps):
    for _ in range(steps):
        opt.zero_grad()
        for x, y in tasks:
            F.mse_loss(net(x), y).backward()
        opt.step()


def a_loss_that_is_not_seen(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        my_loss(net(x), y).backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def in_place(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        loss = F.cross_entropy(net(x), y)
        loss /= every
        loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()
