import numpy as np
import torch
import torch.nn.functional as F
from torch.autograd import Variable


def from_a_number(net, x, y, opt):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss = torch.tensor(loss.item(), requires_grad=True)  # expect: graph-cut
    loss.backward()
    opt.step()


def from_data(net, x, y, opt):
    opt.zero_grad()
    loss = Variable(F.mse_loss(net(x), y).data, requires_grad=True)  # expect: graph-cut
    loss.backward()
    opt.step()


def detached(net, x, y, opt):
    opt.zero_grad()
    out = net(x).detach()  # expect: graph-cut
    out.requires_grad_()
    F.mse_loss(out, y).backward()
    opt.step()
