import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def switched_by_hand(net, batches, every, rank):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(batches):
        last = (i + 1) % every == 0 or i + 1 == len(batches)
        model.require_backward_grad_sync = last
        (F.cross_entropy(model(x), y) / every).backward()
        if last:
            opt.step()
            opt.zero_grad()


def one_process(net, batches, every):
    opt = torch.optim.AdamW(net.parameters())
    for i, (x, y) in enumerate(batches):
        (F.cross_entropy(net(x), y) / every).backward()
        if (i + 1) % every == 0 or i + 1 == len(batches):
            opt.step()
            opt.zero_grad()
