import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def pinned(net, data, opt):
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4, pin_memory=True)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x.cuda(non_blocking=True)), y.cuda(non_blocking=True)).backward()
        opt.step()


def on_the_host(net, data, opt):
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def as_configured(net, data, opt, options):
    loader = DataLoader(data, shuffle=True, **options)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x.cuda()), y.cuda()).backward()
        opt.step()
