from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def all_but_the_last(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        ctx = nullcontext() if (i + 1) % every == 0 else model.no_sync()
        with ctx:
            loss = F.cross_entropy(model(x), y) / every
            loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def written_another_way(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        if i % every != every - 1:
            with model.no_sync():
                (F.cross_entropy(model(x), y) / every).backward()
        else:
            (F.cross_entropy(model(x), y) / every).backward()
            opt.step()
            opt.zero_grad()


def also_at_the_end(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        last = (i + 1) % every == 0 or i + 1 == len(batches)
        with nullcontext() if last else model.no_sync():
            (F.cross_entropy(model(x), y) / every).backward()
        if last:
            opt.step()
            opt.zero_grad()
