"""Gradients, moves, reads, in-place operations, constants."""
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def gradients(net, p: torch.Tensor, loss: torch.Tensor):
    p.grad = None
    p.grad = p.detach()
    p.grad.zero_()
    p.grad.data.clamp_(-1, 1)
    p.grad /= 2
    p.grad[0] = 0
    if p.grad is not None:
        print(p.grad.norm())
    p.data -= 0.1 * p.grad
    p.requires_grad = False
    p.requires_grad_()
    loss.backward(None, True)
    loss.backward(gradient=p, create_graph=False)
    torch.autograd.backward([loss, p], retain_graph=True)
    torch.autograd.grad(loss, net.parameters(), create_graph=True)
    nn.init.zeros_(p)
    net.zero_grad(True)
    net.train(False)
    net.train(mode=net.training)


def reads(x: torch.Tensor, y: torch.Tensor, batch):
    a = x.clone().detach()
    b = x.data
    c = batch.data
    d = x.shape[0], x.shape, x.T, x.ndim, x.dtype, x.device
    e = x.cpu().numpy().tolist()
    f = float(x) + int(y.sum()) + bool(x > y)
    g = np.mean(e).item()
    return torch.equal(x, y)


def moves(x, net, device):
    x = x.to(device, True).half()
    net.half().cuda()
    y = torch.zeros(2, dtype=torch.half, device=torch.device("cuda"))
    z = F.one_hot(x.argmax(-1)).to(torch.float32)
    return y.add_(z).relu_()


def timing(net, x):
    torch.cuda.synchronize()
    start = time.perf_counter()
    net(x)
    torch.cuda.current_stream().synchronize()
    return time.perf_counter() - start
