import torch
import torch.nn.functional as F


def made_there(net, batches, opt, device):
    for x, y in batches:
        opt.zero_grad()
        noise = torch.randn(8, 4, device=device)
        F.mse_loss(net(x + noise), y).backward()
        opt.step()


def moved_once(net, batches, opt, device):
    weight = torch.ones(10).to(device)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y, weight=weight).backward()
        opt.step()


def data(net, rows, opt, device):
    for row, target in rows:
        opt.zero_grad()
        x = torch.tensor(row).to(device)
        F.mse_loss(net(x), torch.tensor(target).to(device)).backward()
        opt.step()


def batches_are_moved(net, batches, opt, device):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
        opt.step()


def now_and_then(net, batches, opt, device, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        if i % every == 0:
            net(torch.randn(8, 4).to(device))
        F.mse_loss(net(x), y).backward()
        opt.step()
