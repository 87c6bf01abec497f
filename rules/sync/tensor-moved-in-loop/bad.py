import torch
import torch.nn.functional as F


def made_and_moved(net, batches, opt, device):
    for x, y in batches:
        opt.zero_grad()
        noise = torch.randn(8, 4).to(device)  # expect: tensor-moved-in-loop
        F.mse_loss(net(x + noise), y).backward()
        opt.step()


def constants(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        weight = torch.tensor([1.0, 2.0]).cuda()  # expect: tensor-moved-in-loop
        F.cross_entropy(net(x), y, weight=weight).backward()
        opt.step()


def made_before_and_moved_again(net, batches, opt, device):
    weight = torch.ones(10)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y, weight=weight.to(device)).backward()  # expect: tensor-moved-in-loop
        opt.step()


def sizes_in_a_list(net, batches, opt, device):
    for x, y in batches:
        opt.zero_grad()
        noise = torch.randn([8, 4]).to(device)  # expect: tensor-moved-in-loop
        F.mse_loss(net(x + noise), y).backward()
        opt.step()
