import torch
import torch.nn.functional as F


def after_the_step(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-after-step


def one_step(net, x, y, opt):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()
    torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)  # expect: clip-after-step


def after_the_scalers_step(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-after-step
