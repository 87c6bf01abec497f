"""Ranks without torchrun: by torch.multiprocessing.spawn, or by a Process beside the program itself.

usage: spawned.py spawn | beside | killed
"""
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def start(rank, ranks, port):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)


def total(rank, ranks, port):
    start(rank, ranks, port)
    x = torch.tensor([rank + 1.0]).cuda()
    dist.all_reduce(x)
    os.write(1, f"{rank} {x.item()}\n".encode())
    dist.destroy_process_group()


def dies(rank, ranks, port):
    start(rank, ranks, port)
    dist.barrier()
    os.kill(os.getpid(), signal.SIGKILL)


def survives(port):
    start(0, 2, port)
    dist.barrier()
    began = time.monotonic()
    try:
        x = torch.tensor([1.0]).cuda()
        dist.all_reduce(x)
        x.item()
        print("went on")
    except RuntimeError as problem:
        print("raised", type(problem).__name__, time.monotonic() - began < 5)
    try:
        dist.all_reduce(torch.tensor([1.0]).cuda())
        print("went on")
    except RuntimeError as problem:
        print("then", type(problem).__name__)
    sys.stdout.flush()
    os._exit(0)


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


if __name__ == "__main__":
    what, port = sys.argv[1], free_port()
    if what == "spawn":
        mp.spawn(total, args=(3, port), nprocs=3)
    else:
        other = mp.get_context("spawn").Process(target=dies if what == "killed" else total, args=(1, 2, port))
        other.start()
        if what == "killed":
            survives(port)
        total(0, 2, port)
        other.join()
