import time

import torch
import torch.nn.functional as F


@torch.no_grad()
def synchronised(net, x, device):
    net.to(device).eval()
    x = x.to(device)
    torch.cuda.synchronize()
    start = time.perf_counter()
    net(x)
    torch.cuda.synchronize()
    return time.perf_counter() - start


@torch.no_grad()
def read_back(net, x, device):
    net.to(device).eval()
    start = time.perf_counter()
    value = net(x.to(device)).sum().item()
    return value, time.perf_counter() - start


def an_epoch(net, batches, opt, device):
    start = time.time()
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
        opt.step()
    print(time.time() - start)


def throughput(net, batches, opt, device, meter):
    end = time.time()
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
        opt.step()
        meter.update(time.time() - end)
        end = time.time()


def on_the_host(net, x):
    start = time.perf_counter()
    with torch.no_grad():
        net(x)
    return time.perf_counter() - start


def loading(loader, device):
    start = time.time()
    for x, y in loader:
        x = x.to(device)
    return time.time() - start
