"""Several ranks on one machine: what NCCL moves and reduces, and the ways PyTorch trains with it.

usage: torchrun --nproc-per-node N ranks.py WHAT...
"""
import os
import sys

import torch
import torch.distributed as dist
from torch import nn

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def on_device(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype).cuda()


def say(*words):
    """One write: lines of several ranks do not mix."""
    os.write(1, (" ".join(str(word) for word in (what, rank, *words)) + "\n").encode())


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16)).cuda()


def train(module, optimizer, steps=3):
    for _ in range(steps):
        module(torch.ones(4, 16, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def reductions():
    """Every reduction, over several types."""
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8):
        results = []
        for op in (dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
            x = on_device(rank + 1, 2 * rank + 2, dtype=dtype)
            dist.all_reduce(x, op=op)
            results.append(x.tolist())
        say(str(dtype)[6:], *results)


def movements():
    """Gathers, scatters, broadcasts and messages."""
    x = on_device(10 + rank)
    dist.broadcast(x, src=1)
    gathered = [torch.zeros(2, device="cuda") for _ in range(ranks)]
    dist.all_gather(gathered, on_device(rank, -rank))
    part = torch.zeros(1, device="cuda")
    dist.reduce_scatter_tensor(part, on_device(*[rank + 10 * i for i in range(ranks)]))
    swapped = torch.zeros(ranks, device="cuda")
    dist.all_to_all_single(swapped, on_device(*[10 * rank + i for i in range(ranks)]))
    total = on_device(rank)
    dist.reduce(total, dst=0)
    neighbour = torch.zeros(1, device="cuda")
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, on_device(rank), after),
                                        dist.P2POp(dist.irecv, neighbour, before)]):
        work.wait()
    say(x.item(), [y.tolist() for y in gathered], part.item(), swapped.tolist(),
        total.item() if rank == 0 else "-", neighbour.item())


def groups():
    """Communicators of some of the ranks, in one and two dimensions."""
    from torch.distributed.device_mesh import init_device_mesh
    mesh = init_device_mesh("cuda", (2, ranks // 2), mesh_dim_names=("rows", "columns"))
    sums = []
    for name in mesh.mesh_dim_names:
        x = on_device(rank)
        dist.all_reduce(x, group=mesh.get_group(name))
        sums.append(x.item())
    say(*sums)


def ddp():
    module = nn.parallel.DistributedDataParallel(model())
    train(module, torch.optim.AdamW(module.parameters()))
    dist.barrier()
    say("trained", torch.cuda.max_memory_allocated() > 0)


def zero():
    from torch.distributed.optim import ZeroRedundancyOptimizer
    module = nn.parallel.DistributedDataParallel(model())
    optimizer = ZeroRedundancyOptimizer(module.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-3)
    train(module, optimizer)
    say("trained", len(optimizer.optim.state))


def fsdp():
    from torch.distributed.fsdp import fully_shard
    module = model()
    for layer in module:
        fully_shard(layer)
    fully_shard(module)
    optimizer = torch.optim.AdamW(module.parameters())
    train(module, optimizer)
    say("trained", sum(p.to_local().numel() for p in module.parameters()))


def tensor_parallel():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    module = parallelize_module(model(), init_device_mesh("cuda", (ranks,)),
                                {"0": ColwiseParallel(), "2": RowwiseParallel()})
    train(module, torch.optim.AdamW(module.parameters()))
    say("trained", sum(p.to_local().numel() if hasattr(p, "to_local") else p.numel() for p in module.parameters()))


def late():
    """Ranks that come in another order than they are asked, and host code that waits for them in between."""
    store = dist.distributed_c10d._get_default_store()
    dist.barrier()  # connects the ranks, which waits
    x, y = on_device(rank + 1), torch.zeros(1, device="cuda")
    if rank == 0:
        dist.all_reduce(x)
        y.copy_(x)
        dist.all_reduce(y)  # needs the first one's result, which is not there yet
        store.set("issued", "yes")
    else:
        store.wait(["issued"])
        dist.all_reduce(x)
        y.copy_(x)
        dist.all_reduce(y)
    say(x.item(), y.item())


def different():
    """A bug: the ranks do not call the same."""
    try:
        if rank == 0:
            dist.all_reduce(on_device(1))
        else:
            dist.broadcast(on_device(1, 2), src=0)
        torch.cuda.synchronize()
        say("went on")
    except RuntimeError as problem:
        say("raised", type(problem).__name__)
    os._exit(7)


torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
for what in sys.argv[1:]:
    globals()[what]()
dist.destroy_process_group()
