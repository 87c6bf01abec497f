from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def off_by_one(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        ctx = nullcontext() if i % every == 0 else model.no_sync()  # expect: ddp-no-sync-inverted
        with ctx:
            loss = F.cross_entropy(model(x), y) / every
            loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def on_the_last_micro_batch(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        last = (i + 1) % every == 0
        with model.no_sync() if last else nullcontext():  # expect: ddp-no-sync-inverted
            (F.cross_entropy(model(x), y) / every).backward()
        if last:
            opt.step()
            opt.zero_grad()


def in_a_branch(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        if (i + 1) % every == 0:
            with model.no_sync():  # expect: ddp-no-sync-inverted
                (F.cross_entropy(model(x), y) / every).backward()
            opt.step()
            opt.zero_grad()
        else:
            (F.cross_entropy(model(x), y) / every).backward()
