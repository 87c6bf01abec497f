"""Short published programs. usage: small.py NAME [ARGUMENT...]; prints the figures as JSON, in bytes."""
import json
import sys

import torch
import torch.nn.functional as F
from torch import nn

ALLOCATED, PEAK = torch.cuda.memory_allocated, torch.cuda.max_memory_allocated


def linear_left():
    """What one call of a Linear leaves behind: cuBLAS's workspace."""
    layer, x = nn.Linear(1, 1, device="cuda"), torch.randn(1, 1, device="cuda")
    layer(x)
    del layer, x
    torch.cuda.synchronize()
    return {"left": ALLOCATED()}


def softmax5():
    x = torch.rand([5120, 2, 384, 384], dtype=torch.bfloat16, device="cuda", requires_grad=True)
    figures = {"alloc": ALLOCATED()}
    x = F.softmax(x, dim=-1)
    loss = torch.mean(x)
    figures["forward"] = ALLOCATED()
    loss.backward()
    return {**figures, "backward": ALLOCATED(), "max": PEAK()}


def proj_sweep():
    """A projection and its loss over classes, tokens and features, all in one process; peaks less the peak at the start."""
    def one(rows, features, classes):
        torch.cuda.reset_peak_memory_stats()
        before = PEAK()
        x = torch.randn(rows, features, requires_grad=True, device="cuda")
        target = torch.randint(0, classes, (rows,), device="cuda")
        head, loss = nn.Linear(features, classes, bias=False, device="cuda"), nn.CrossEntropyLoss()

        def step():
            logits = head(x)
            return loss(logits, target).mean()
        _ = step().backward()
        peak = PEAK() - before
        for _ in range(3):
            step().backward()
        return peak
    return {"classes": [one(8192, 2048, classes) for classes in (2048, 4096, 8192, 16384, 32768, 65536)],
            "tokens": [one(rows, 2048, 32768) for rows in (1024, 2048, 4096, 8192, 16384)],
            "dim": [one(8192, features, 32768) for features in (1024, 2048, 4096, 8192)]}


def lce_train():
    """Linear and cross entropy on detached copies, measured when warm and with the cache emptied."""
    peaks = []
    for rows in (512, 1024, 2048, 4096, 8192, 16384):
        x = torch.randn(rows, 1024, device="cuda", dtype=torch.bfloat16)
        weight = torch.randn(32768, 1024, device="cuda", dtype=torch.bfloat16)
        target = torch.randint(0, 32768, (rows,), device="cuda")

        def step():
            inputs = x.detach().requires_grad_(True)
            own = weight.detach().clone().requires_grad_(True)
            loss = F.cross_entropy(F.linear(inputs, own), target)
            loss.backward()
        step()
        step()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        step()
        peaks.append(PEAK())
    return {"rows": peaks}


def oom(count, keep):
    """The text of PyTorch's own error, in the forward pass or, with what a module returned kept, in the backward pass."""
    class Chain(nn.Module):
        def forward(self, x):
            halves = x.div(2)
            sums = halves.add(10)
            products = sums.mul(2.0)
            return (products.sum(), halves, sums, products) if int(keep) else products.sum()
    x, chain = torch.rand(int(float(count)), device="cuda", requires_grad=True), Chain()
    try:
        result = chain(x)
        (result[0] if int(keep) else result).backward()
    except torch.cuda.OutOfMemoryError as problem:
        return {"text": str(problem)}


def fill():
    """How many tensors of a GiB fit."""
    kept = []
    try:
        while True:
            kept.append(torch.empty(1 << 28, device="cuda"))
    except torch.cuda.OutOfMemoryError as problem:
        return {"fit": len(kept), "text": str(problem)}


def vit_half():
    import torchvision
    torchvision.models.vit_l_16().to("cuda").to(torch.float16)
    return {"reserved": torch.cuda.max_memory_reserved()}


def vit_made_on_device():
    import torchvision
    torch.set_default_dtype(torch.float16)
    with torch.device("cuda"):
        model = torchvision.models.vit_l_16()
    return {"reserved": torch.cuda.max_memory_reserved(), "parameters": len(list(model.parameters()))}


print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
