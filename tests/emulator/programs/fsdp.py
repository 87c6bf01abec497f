# FSDP2 as rank 0 of WORLD, in one process: fsdp.py WORLD [--bf16]. The other ranks are not there.
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def main(world):
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=world, device_id=torch.device("cuda", 0))
    mesh = init_device_mesh("cuda", (world,))
    with torch.device("cuda"):
        model = nn.TransformerEncoder(nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, bias=False), 12)
    settings = {"mesh": mesh}
    if "--bf16" in sys.argv:
        settings["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.layers:
        fully_shard(layer, **settings)
    fully_shard(model, **settings)
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.randn(4, 512, 1024, device="cuda")
    for step in range(3):
        if step == 2:
            torch.cuda.reset_peak_memory_stats()
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(data).mean()
        loss.backward()
        if "--bf16" in sys.argv:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    print(f"rank 0 of {world}: peak {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB")
    dist.destroy_process_group()


main(int(sys.argv[1]))
