import torch
import torch.nn.functional as F
from somewhere import finish


def updated(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.step(opt)
        scaler.update()


def updated_once_for_two(net, head, batches, opt, opt_head, scaler):
    for x, y in batches:
        opt.zero_grad()
        opt_head.zero_grad()
        scaler.scale(F.cross_entropy(head(net(x)), y)).backward()
        scaler.step(opt)
        scaler.step(opt_head)
        scaler.update()


def code_that_is_not_seen_updates(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.step(opt)
        finish(scaler)


def the_caller_updates(net, x, y, opt, scaler):
    opt.zero_grad()
    scaler.scale(F.cross_entropy(net(x), y)).backward()
    scaler.step(opt)
