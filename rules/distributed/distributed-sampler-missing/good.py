import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset


def main(net, train_set, make_sampler, rank, epochs):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    loader = DataLoader(train_set, batch_size=32, sampler=make_sampler(train_set), num_workers=4)
    parts = DataLoader(train_set.part(rank), batch_size=32, shuffle=True, num_workers=4)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()


def with_a_part(dataset, net, opt, criterion, indices, proc_id, world):
    part = torch.split(indices, len(indices) // world)[proc_id]
    loader = DataLoader(Subset(dataset, part), batch_size=8, shuffle=True)
    net = DDP(net)
    for x, y in loader:
        opt.zero_grad()
        criterion(net(x), y).backward()
        opt.step()


def with_a_dataset_that_makes_batches(stream, net, opt, criterion):
    loader = DataLoader(stream, batch_size=None, num_workers=4)
    net = DDP(net)
    for x, y in loader:
        opt.zero_grad()
        criterion(net(x), y).backward()
        opt.step()
