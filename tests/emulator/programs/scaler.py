# fp16 mixed precision with loss scaling, gradient accumulation and clipping, by the new names and by the old.
import warnings

import torch
from torch import nn


def train(autocast, scaler, accumulate=2):
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(6):
        with autocast:
            loss = nn.functional.mse_loss(model(torch.randn(32, 256, device="cuda")), torch.zeros(32, 10, device="cuda"))
        scaler.scale(loss / accumulate).backward()
        if (step + 1) % accumulate:
            continue
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
    steps = {int(state["step"].item()) for state in optimizer.state.values()}
    print(f"steps {steps}, scaler keeps {sorted(scaler.state_dict())}")


def main():
    train(torch.autocast("cuda", torch.float16), torch.amp.GradScaler("cuda"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train(torch.cuda.amp.autocast(), torch.cuda.amp.GradScaler(init_scale=2.0**10))
    print(f"allocated {torch.cuda.max_memory_allocated()} B")


main()
