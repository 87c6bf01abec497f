import torch
import torch.nn.functional as F


def read_at_once(net, x, device):
    with torch.no_grad():
        out = net(x.to(device))
    host = out.to("cpu", non_blocking=True)
    return host.numpy()  # expect: non-blocking-read-before-sync


def through_a_view(net, x, device):
    with torch.no_grad():
        out = net(x.to(device))
    host = out.to(device="cpu", non_blocking=True)
    first = host[0]
    print(first)  # expect: non-blocking-read-before-sync


def into_pinned_memory(net, x, device):
    buffer = torch.empty(8, 10, pin_memory=True)
    with torch.no_grad():
        out = net(x.to(device))
    buffer.copy_(out, non_blocking=True)
    return buffer.tolist()  # expect: non-blocking-read-before-sync


@torch.no_grad()
def one_number(net, x, device):
    out = net(x.to(device)).sum()
    host = out.to("cpu", non_blocking=True)
    return host.item()  # expect: non-blocking-read-before-sync
