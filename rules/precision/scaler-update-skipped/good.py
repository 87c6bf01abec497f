import torch
import torch.nn.functional as F


def update_on_every_path(net, batches, opt, scaler, finite):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        if finite(net):
            scaler.step(opt)
        scaler.update()


def left_before_anything_is_unscaled(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if not torch.isfinite(loss):
            continue
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()


def two_branches(net, batches, opt, scaler, amp):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if amp:
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
        else:
            loss.backward()
            opt.step()


def several_optimizers(net, batches, optimizers, scaler):
    for x, y in batches:
        for opt in optimizers:
            opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        for opt in optimizers:
            scaler.step(opt)
        scaler.update()


def with_accumulation(net, batches, opt, scaler, every):
    for i, (x, y) in enumerate(batches):
        scaler.scale(F.cross_entropy(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            scaler.unscale_(opt)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
