"""A random small training program, the same for the same seed: layers, precision, optimizer, loop.

usage: random_training.py SEED...
"""
import random
import sys

import torch
from torch import nn


def layer(choose, width):
    kind = choose.choice(["linear", "norm", "act", "dropout", "conv", "attention", "lstm", "residual"])
    if kind == "linear":
        return nn.Linear(width, width, bias=choose.random() < 0.7)
    if kind == "norm":
        return choose.choice([nn.LayerNorm(width), nn.GroupNorm(2, 4), nn.BatchNorm1d(4)])
    if kind == "act":
        return choose.choice([nn.ReLU(), nn.GELU(), nn.SiLU(), nn.Softmax(-1), nn.ReLU(inplace=True)])
    if kind == "dropout":
        return nn.Dropout(choose.random() * 0.5)
    if kind == "conv":
        return nn.Conv1d(4, 4, 3, padding=1, groups=choose.choice([1, 2]))
    if kind == "attention":
        return nn.TransformerEncoderLayer(width, 2, 2 * width, batch_first=True)
    if kind == "lstm":
        return First(nn.LSTM(width, width, batch_first=True))
    return Residual(nn.Linear(width, width))


class First(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


class Residual(First):
    def forward(self, x):
        return x + self.inner(x)


def optimizer(choose, parameters):
    kind = choose.choice([torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad])
    extra = {"foreach": choose.choice([True, False, None])}
    if kind in (torch.optim.Adam, torch.optim.AdamW) and choose.random() < 0.3:
        extra = {"fused": True}
    return kind(parameters, lr=1e-3, **extra)


def run(seed):
    choose = random.Random(seed)
    torch.manual_seed(seed)
    width, batch = choose.choice([8, 16, 64]), choose.choice([1, 3, 8])
    module = nn.Sequential(*[layer(choose, width) for _ in range(choose.randint(1, 6))], nn.Linear(width, width)).cuda()
    steps = optimizer(choose, module.parameters())
    precision = choose.choice([None, torch.float16, torch.bfloat16])
    scaler = torch.amp.GradScaler("cuda", enabled=precision == torch.float16)
    stream = torch.cuda.Stream() if choose.random() < 0.3 else torch.cuda.current_stream()
    kept = []
    for step in range(choose.randint(1, 4)):
        with torch.cuda.stream(stream):
            x = torch.randn(batch, 4, width).cuda(non_blocking=choose.random() < 0.5)
            with torch.autocast("cuda", dtype=precision or torch.float16, enabled=precision is not None):
                loss = nn.functional.mse_loss(module(x).float(), torch.zeros_like(x))
            scaler.scale(loss).backward()
            if choose.random() < 0.3:
                nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            scaler.step(steps)
            scaler.update()
            steps.zero_grad(set_to_none=choose.random() < 0.7)
        if choose.random() < 0.5:
            kept.append(loss.item())
        if choose.random() < 0.2:
            torch.cuda.empty_cache()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated()


for seed in sys.argv[1:]:
    print(seed, run(int(seed)), flush=True)
