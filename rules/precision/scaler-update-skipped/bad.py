import torch
import torch.nn.functional as F


def left_before_the_update(net, batches, opt, scaler, limit):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(opt)
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), limit)
        if norm > 10 * limit:
            continue  # expect: scaler-update-skipped
        scaler.step(opt)
        scaler.update()


def in_one_branch(net, batches, opt, scaler, careful):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.step(opt)  # expect: scaler-update-skipped
        if careful:
            scaler.update()


def once_an_epoch(net, batches, opt, scaler, epochs):
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            scaler.scale(F.cross_entropy(net(x), y)).backward()
            scaler.step(opt)  # expect: scaler-update-skipped
        scaler.update()
