# DistributedDataParallel, started by torchrun: torchrun --nproc-per-node 4 ddp.py.
import importlib.util
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)  # DDP makes the parameters agree
    model = nn.Sequential(nn.Linear(64, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 10)).cuda()
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    model = DistributedDataParallel(model, device_ids=[local], gradient_as_bucket_view=True)
    first = model.module[0].weight.detach().clone()
    gathered = [torch.empty_like(first) for _ in range(world)]
    dist.all_gather(gathered, first)
    agree = all(torch.equal(each.cpu(), gathered[0].cpu()) for each in gathered)

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = TensorDataset(torch.randn(256, 64), torch.randint(10, (256,)))
    sampler = DistributedSampler(data, shuffle=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for step, (rows, labels) in enumerate(DataLoader(data, batch_size=16, sampler=sampler)):
            if step % 2 == 0:
                with model.no_sync():
                    nn.functional.cross_entropy(model(rows.cuda()), labels.cuda()).backward()
                continue
            nn.functional.cross_entropy(model(rows.cuda()), labels.cuda()).backward()
            optimizer.step()
            optimizer.zero_grad()

    total = torch.tensor([float(rank + 1)]).cuda()
    dist.all_reduce(total)
    names = [f"rank {each}" for each in range(world)]
    chosen = [tempfile.gettempdir()]
    if importlib.util.find_spec("numpy"):  # PyTorch unpacks objects through it
        names = [None] * world
        dist.all_gather_object(names, f"rank {rank}")
        chosen = [tempfile.gettempdir() if rank == 0 else None]
        dist.broadcast_object_list(chosen, src=0)
    reduced = torch.arange(float(world)).cuda() + rank
    part = torch.empty(1, device="cuda")
    dist.reduce_scatter_tensor(part, reduced)
    if rank % 2 == 0:
        dist.send(torch.tensor([rank + 0.5]).cuda(), rank + 1)
    else:
        got = torch.empty(1, device="cuda")
        dist.recv(got, rank - 1)
        assert got.item() == rank - 0.5, got
    dist.barrier()
    if rank == 0:
        print(f"world {world}, parameters agree {agree}, sum {total.item()}, names {names}, "
              f"device {torch.cuda.current_device()} of {torch.cuda.device_count()}, "
              f"scattered {part.item()}, told {chosen[0] == tempfile.gettempdir()}")
    dist.destroy_process_group()


main()
