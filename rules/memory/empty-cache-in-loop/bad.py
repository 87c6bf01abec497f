import torch
import torch.nn.functional as F


def every_step(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        torch.cuda.empty_cache()  # expect: empty-cache-in-loop


def clean_up():
    torch.cuda.empty_cache()  # expect: empty-cache-in-loop


def in_a_helper(net, batches, opt):
    for x, y in batches:
        clean_up()
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
