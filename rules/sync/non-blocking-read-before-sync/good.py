import torch
import torch.nn.functional as F


def waited_for(net, x, device):
    with torch.no_grad():
        out = net(x.to(device))
    host = out.to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    return host.numpy()


def with_an_event(net, x, device):
    with torch.no_grad():
        out = net(x.to(device))
    host = out.to("cpu", non_blocking=True)
    done = torch.cuda.Event()
    done.record()
    done.synchronize()
    return host.numpy()


def to_the_device(net, x, device):
    x = x.to(device, non_blocking=True)
    with torch.no_grad():
        return net(x)


def blocking(net, x, device):
    with torch.no_grad():
        return net(x.to(device)).to("cpu").numpy()


def another_blocking_read_first(net, x, device):
    with torch.no_grad():
        out = net(x.to(device))
    host = out.to("cpu", non_blocking=True)
    total = out.sum().item()
    return host.numpy(), total
