# torch.compile of a small model, its training step and its evaluation; also with CUDA graphs (mode "reduce-overhead").
import sys

import torch
from torch import nn


def main(mode):
    torch.set_float32_matmul_precision("high")
    model = nn.Sequential(nn.Linear(256, 512), nn.LayerNorm(512), nn.GELU(), nn.Dropout(0.1), nn.Linear(512, 10)).cuda()
    compiled = torch.compile(model, mode=mode)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    data, labels = torch.randn(64, 256, device="cuda"), torch.randint(10, (64,), device="cuda")
    for _ in range(4):
        with torch.autocast("cuda", torch.bfloat16):
            loss = nn.functional.cross_entropy(compiled(data), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        shape = tuple(compiled(data).shape)
    print(f"{mode}: {shape}, loss {loss.item():.3f}")


main(sys.argv[1] if len(sys.argv) > 1 else "default")
