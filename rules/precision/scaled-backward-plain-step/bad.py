import torch
import torch.nn.functional as F


def past_the_scaler(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        opt.step()  # expect: scaled-backward-plain-step
        scaler.update()


def in_one_branch(net, batches, opt, scaler, amp):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if amp:
            scaler.scale(loss).backward()
            opt.step()  # expect: scaled-backward-plain-step
        else:
            loss.backward()
            opt.step()


def one_of_two(batches, scaler):
    net = torch.nn.Linear(8, 8)
    head = torch.nn.Linear(8, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt_head = torch.optim.SGD(head.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        opt_head.zero_grad()
        scaler.scale(F.cross_entropy(head(net(x)), y)).backward()
        scaler.step(opt)
        opt_head.step()  # expect: scaled-backward-plain-step
        scaler.update()


def past_the_scaler_as_in_cpp(net: torch.nn.Module, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        scaler.scale(F.mse_loss(net(x), y)).backward()
        opt.step()  # expect: scaled-backward-plain-step
        scaler.update()
