"""The training loop that dry_run_overhead times: a small transformer, mean squared output, AdamW.

usage: dry_run_overhead_loop.py emulated|meta STEPS LAYERS
prints the median CPU seconds of a step, the first two left out: nothing here waits, so that a busy machine
changes little
"""
import contextlib
import statistics
import sys
import time

import torch
from torch import nn


def layer(device):
    return nn.TransformerEncoderLayer(768, 12, 3072, activation='gelu', batch_first=True, norm_first=True,
                                      dropout=0.0, device=device)


def train(model, optimizer, steps, device, before_step):
    seconds = []
    for _ in range(steps):
        before_step()
        begin = time.process_time()
        x = torch.randn(4, 256, 768, device=device)
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds[2:])


def main():
    device, steps, layers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    before_step = lambda: None
    with contextlib.ExitStack() as modes:
        if device == 'meta':
            from torch._subclasses.fake_tensor import FakeTensorMode
            from torch.distributed._tools.mem_tracker import MemTracker
            modes.enter_context(FakeTensorMode())
        else:
            device = 'cuda'
        model = nn.Sequential(*[layer(device) for _ in range(layers)])
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        if device == 'meta':
            tracker = MemTracker()
            tracker.track_external(model, optimizer)
            modes.enter_context(tracker)
            before_step = tracker.reset_mod_stats
        print(train(model, optimizer, steps, device, before_step))


main()
