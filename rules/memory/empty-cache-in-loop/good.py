import torch
import torch.nn.functional as F


def once_an_epoch(net, batches, opt, epochs):
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        torch.cuda.empty_cache()


def every_few_steps(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        if i % every == 0:
            torch.cuda.empty_cache()


def when_memory_ran_out(net, batches, opt):
    for x, y in batches:
        try:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        except RuntimeError:
            torch.cuda.empty_cache()


def before_training(net, batches, opt):
    torch.cuda.empty_cache()
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
