import torch
import torch.nn.functional as F
from torch import nn


def plain(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-unscale
        scaler.step(opt)
        scaler.update()


def by_value(net, loader, opt):
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.5)  # expect: clip-before-unscale
        scaler.step(opt)
        scaler.update()


def only_the_scaled_branch_is_wrong(net, loader, opt, scaler, use_amp):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if use_amp:
            scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-unscale
            scaler.step(opt)
            scaler.update()
        else:
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()


def unscaled_only_on_some_paths(net, loader, opt, scaler, fast):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        if fast:
            scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-unscale
        scaler.step(opt)
        scaler.update()


def unscaled_after(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-unscale
        scaler.unscale_(opt)
        scaler.step(opt)
        scaler.update()


def after_accumulation(net, loader, opt, scaler, every):
    for i, (x, y) in enumerate(loader):
        scaler.scale(F.cross_entropy(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-before-unscale
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()


def another_optimizer_is_unscaled(batches):
    gen, critic = nn.Linear(8, 8), nn.Linear(8, 1)
    opt_g = torch.optim.Adam(gen.parameters())
    opt_c = torch.optim.Adam(critic.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for x in batches:
        opt_g.zero_grad()
        opt_c.zero_grad()
        scaler.scale(critic(gen(x)).mean()).backward()
        scaler.unscale_(opt_c)
        nn.utils.clip_grad_norm_(gen.parameters(), 1.0)  # expect: clip-before-unscale
        scaler.step(opt_g)
        scaler.step(opt_c)
        scaler.update()


def clip(net, limit):
    nn.utils.clip_grad_norm_(net.parameters(), limit)  # expect: clip-before-unscale


def through_a_helper(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        clip(net, 1.0)
        scaler.step(opt)
        scaler.update()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.AdamW(net.parameters())
        self.scaler = torch.amp.GradScaler("cuda")

    def step(self, x, y):
        self.opt.zero_grad()
        loss = F.cross_entropy(self.net(x), y)
        self.scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)  # expect: clip-before-unscale
        self.scaler.step(self.opt)
        self.scaler.update()


def norms_of_scaled_gradients(net, loader, opt, scaler):
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        norms = []
        for p in net.parameters():
            norms.append(p.grad.norm())  # expect: clip-before-unscale
        scaler.step(opt)
        scaler.update()


def unscaled_after_values_are_clipped(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.mse_loss(net(x), y)).backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.5)  # expect: clip-before-unscale
        scaler.unscale_(opt)
        scaler.step(opt)
        scaler.update()
