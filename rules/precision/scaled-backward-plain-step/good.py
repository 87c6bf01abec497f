import torch
import torch.nn.functional as F


def through_the_scaler(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.step(opt)
        scaler.update()


def two_branches(net, batches, opt, scaler, amp):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if amp:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if amp:
            scaler.step(opt)
            scaler.update()
        else:
            opt.step()


def a_scaler_or_none(net, batches, opt, scaler=None):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
        else:
            loss.backward()
            opt.step()


def unscaled_first(net, batches, opt, scaler, finite):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(opt)
        if finite(net):
            opt.step()
        scaler.update()


def another_optimizers_loss_is_not_scaled(gen, critic, opt_g, opt_c, batches, scaler):
    for x, y in batches:
        opt_g.zero_grad()
        scaler.scale(F.mse_loss(gen(x), y)).backward()
        scaler.step(opt_g)
        scaler.update()
        opt_c.zero_grad()
        F.mse_loss(critic(x), y).backward()
        opt_c.step()
