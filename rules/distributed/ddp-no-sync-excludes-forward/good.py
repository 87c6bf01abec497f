from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def both(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        last = (i + 1) % every == 0
        with nullcontext() if last else model.no_sync():
            loss = F.cross_entropy(model(x), y) / every
            loss.backward()
        if last:
            opt.step()
            opt.zero_grad()


def through_a_helper(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())

    def run(x, y):
        (F.cross_entropy(model(x), y) / every).backward()

    for i, (x, y) in enumerate(batches):
        if (i + 1) % every == 0:
            run(x, y)
            opt.step()
            opt.zero_grad()
        else:
            with model.no_sync():
                run(x, y)


def chunk(net, x, memory):
    loss, memory = net(x, memory)
    loss.mean().backward()
    return memory


def with_a_memory(net, batches, opt):
    net = DDP(net)
    memory = None
    for x in batches:
        opt.zero_grad()
        with net.no_sync():
            memory = chunk(net, x[0], memory)
        memory = chunk(net, x[1], memory)
        opt.step()
