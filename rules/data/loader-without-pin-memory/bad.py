import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def fit(net, data, opt):
    net.cuda()
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4)  # expect: loader-without-pin-memory
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def a_device(net, data, opt):
    device = torch.device("cuda")
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4, pin_memory=False)  # expect: loader-without-pin-memory
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x.to(device)), y.to(device)).backward()
        opt.step()
