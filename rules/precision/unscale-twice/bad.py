import torch
import torch.nn.functional as F


def clip(scaler, opt, net):
    scaler.unscale_(opt)  # expect: unscale-twice
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)


def here_and_in_a_helper(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(opt)
        clip(scaler, opt, net)
        scaler.step(opt)
        scaler.update()


def for_every_micro_batch(net, batches, opt, scaler, every):
    for i, (x, y) in enumerate(batches):
        scaler.scale(F.cross_entropy(net(x), y) / every).backward()
        scaler.unscale_(opt)  # expect: unscale-twice
        if (i + 1) % every == 0:
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()


def twice_in_a_row(net: torch.nn.Module, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.mse_loss(net(x), y)).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.unscale_(opt)  # expect: unscale-twice
        scaler.step(opt)
        scaler.update()
