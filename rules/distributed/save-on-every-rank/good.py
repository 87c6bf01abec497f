import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def by_the_first(net, batches, rank, world_size, path):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), path)
    dist.barrier()


def save(model, path):
    if dist.get_rank() != 0:
        return
    torch.save(model.module.state_dict(), path)


def through_a_helper(net, batches, opt, path):
    model = DDP(net)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    save(model, path)


def a_file_each(net, batches, opt, rank):
    model = DDP(net)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    torch.save(opt.state_dict(), f"optimizer-{rank}.pt")
