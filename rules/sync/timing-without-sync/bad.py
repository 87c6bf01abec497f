import time

import torch
import torch.nn.functional as F


@torch.no_grad()
def latency(net, x, device):
    net.to(device).eval()
    x = x.to(device)
    start = time.perf_counter()
    net(x)
    end = time.perf_counter()  # expect: timing-without-sync
    return end - start


@torch.no_grad()
def benchmark(net, x, repeats):
    net.cuda().eval()
    x = x.cuda()
    start = time.time()
    for _ in range(repeats):
        net(x)
    return (time.time() - start) / repeats  # expect: timing-without-sync


def parts_of_a_step(net, batches, opt, device):
    forward_time = backward_time = 0.0
    for x, y in batches:
        opt.zero_grad()
        x, y = x.to(device), y.to(device)
        start = time.time()
        loss = F.mse_loss(net(x), y)
        middle = time.time()  # expect: timing-without-sync
        loss.backward()
        forward_time += middle - start
        backward_time += time.time() - middle  # expect: timing-without-sync
        opt.step()
    return forward_time, backward_time


@torch.no_grad()
def one_forward(net, x, device):
    net.to(device)
    x = x.to(device)
    start = time.perf_counter()
    out = net(x)
    end = time.perf_counter()  # expect: timing-without-sync
    return end - start
