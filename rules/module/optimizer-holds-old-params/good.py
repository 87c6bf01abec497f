import torch
import torch.nn.functional as F
from torch import nn


def in_order(net, batches, classes):
    net.fc = nn.Linear(512, classes)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def added(net, batches, classes):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Linear(512, classes)
    opt.add_param_group({"params": net.fc.parameters()})
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def of_another_model(net, other, batches, classes):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    other.fc = nn.Linear(512, classes)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def worker(rank, make, batches):
    net = make()
    net.features = nn.DataParallel(net.features)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def of_each_workers_own_model(make, batches):
    torch.multiprocessing.spawn(worker, nprocs=8, args=(make, batches))
