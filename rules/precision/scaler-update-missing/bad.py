import torch
import torch.nn.functional as F


def never_updated(net, batches, opt):
    scaler = torch.amp.GradScaler("cuda")
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda"):
            loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt)  # expect: scaler-update-missing


def of_a_scaler_that_came_in(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)  # expect: scaler-update-missing


def never_updated_as_in_cpp(net: torch.nn.Module, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.mse_loss(net(x), y)).backward()
        scaler.step(opt)  # expect: scaler-update-missing
