import torch
import torch.nn.functional as F


def the_rest_is_cleared(net, batches, opt, every, epochs):
    for _ in range(epochs):
        opt.zero_grad()
        for i, (x, y) in enumerate(batches):
            (F.mse_loss(net(x), y) / every).backward()
            if (i + 1) % every == 0:  # expect: accum-window-not-flushed
                opt.step()
                opt.zero_grad()


def train_epoch(net, loader, opt, scaler, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(loader):
        scaler.scale(F.cross_entropy(net(x), y) / every).backward()
        if (i + 1) % every == 0:  # expect: accum-window-not-flushed
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()


def through_a_helper(net, loader, opt, scaler, every, epochs):
    for _ in range(epochs):
        train_epoch(net, loader, opt, scaler, every)


def counted_by_hand(net, batches, opt, every, epochs):
    for epoch in range(epochs):
        opt.zero_grad()
        i = 0
        for x, y in batches:
            (F.mse_loss(net(x), y) / every).backward()
            i += 1
            if i % every == 0:  # expect: accum-window-not-flushed
                opt.step()
                opt.zero_grad()
