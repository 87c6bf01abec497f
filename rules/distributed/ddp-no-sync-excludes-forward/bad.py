from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def only_backward(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        last = (i + 1) % every == 0
        loss = F.cross_entropy(model(x), y) / every
        with nullcontext() if last else model.no_sync():  # expect: ddp-no-sync-excludes-forward
            loss.backward()
        if last:
            opt.step()
            opt.zero_grad()


def in_a_branch(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        out = model(x)
        loss = F.cross_entropy(out, y) / every
        if (i + 1) % every != 0:
            with model.no_sync():  # expect: ddp-no-sync-excludes-forward
                loss.backward()
        else:
            loss.backward()
            opt.step()
            opt.zero_grad()
