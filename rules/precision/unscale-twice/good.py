import torch
import torch.nn.functional as F


def once(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()


def two_optimizers(gen, critic, opt_g, opt_c, batches, scaler):
    for x, y in batches:
        opt_g.zero_grad()
        opt_c.zero_grad()
        scaler.scale(F.mse_loss(critic(gen(x)), y)).backward()
        scaler.unscale_(opt_g)
        scaler.unscale_(opt_c)
        scaler.step(opt_g)
        scaler.step(opt_c)
        scaler.update()


def in_either_branch(net, batches, opt, scaler, by_value):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        if by_value:
            scaler.unscale_(opt)
            torch.nn.utils.clip_grad_value_(net.parameters(), 1.0)
        else:
            scaler.unscale_(opt)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()


def with_the_step(net, batches, opt, scaler, every):
    for i, (x, y) in enumerate(batches):
        scaler.scale(F.cross_entropy(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            scaler.unscale_(opt)
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
