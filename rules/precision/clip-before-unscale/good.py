import torch
import torch.nn.functional as F
from torch import nn


def unscaled_first(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()


def a_branch_for_each(net, loader, opt, scaler, use_amp):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if use_amp:
            scaler.scale(loss).backward()
            scaler.unscale_(opt)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
        else:
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()


def the_same_branch_twice(net, loader, opt, scaler, use_amp):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if use_amp:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if use_amp:
            scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        if use_amp:
            scaler.step(opt)
            scaler.update()
        else:
            opt.step()


def a_scaler_or_none(net, loader, opt, scaler=None):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if scaler is not None:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if scaler:
            scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        if scaler is None:
            opt.step()
        else:
            scaler.step(opt)
            scaler.update()


def accumulation(net, micro_batches, opt, scaler, every, limit):
    for _ in range(every):
        x, y = next(micro_batches)
        scaler.scale(F.cross_entropy(net(x), y) / every).backward()
    if limit > 0.0:
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), limit)
    scaler.step(opt)
    scaler.update()
    opt.zero_grad()


def limited_to_the_scaled_norm(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0 * scaler.get_scale())
        scaler.step(opt)
        scaler.update()


def a_scaler_that_does_nothing(net, loader, opt):
    scaler = torch.amp.GradScaler("cuda", enabled=False)
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()


def no_scaler(net, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


class Scaler:
    def __init__(self):
        self._scaler = torch.amp.GradScaler("cuda")

    def __call__(self, loss, optimizer, parameters, limit=None, update=True):
        self._scaler.scale(loss).backward()
        if update:
            if limit is not None:
                self._scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(parameters, limit)
            self._scaler.step(optimizer)
            self._scaler.update()


def through_a_wrapper(net, loader, opt):
    loss_scaler = Scaler()
    for x, y in loader:
        opt.zero_grad()
        loss_scaler(F.cross_entropy(net(x), y), opt, net.parameters(), limit=1.0)


def divided_by_hand(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        for p in net.parameters():
            p.grad.div_(scaler.get_scale())
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


def of_each_optimizer(batches):
    gen, critic = nn.Linear(8, 8), nn.Linear(8, 1)
    opt_g = torch.optim.Adam(gen.parameters())
    opt_c = torch.optim.Adam(critic.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for x in batches:
        opt_g.zero_grad()
        opt_c.zero_grad()
        scaler.scale(critic(gen(x)).mean()).backward()
        for opt in (opt_g, opt_c):
            scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(gen.parameters(), 1.0)
        nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        scaler.step(opt_g)
        scaler.step(opt_c)
        scaler.update()


def are_they_finite(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        finite = all(torch.isfinite(p.grad).all() for p in net.parameters())
        scaler.step(opt)
        scaler.update()
    return finite


def unscaled_whenever_clipped(net, batches, opt, scaler, criterion, norm, value):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(criterion(net(x), y)).backward()
        if norm or value:
            scaler.unscale_(opt)
        if norm:
            torch.nn.utils.clip_grad_norm_(net.parameters(), norm)
        if value:
            torch.nn.utils.clip_grad_value_(net.parameters(), value)
        scaler.step(opt)
        scaler.update()
