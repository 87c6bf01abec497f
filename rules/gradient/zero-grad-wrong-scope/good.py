import torch
import torch.nn.functional as F


def the_step_is_once_an_epoch_too(net, batches, opt, epochs):
    for _ in range(epochs):
        opt.zero_grad()
        for x, y in batches:
            (F.mse_loss(net(x), y) / len(batches)).backward()
        opt.step()


def cleared_after_the_step_as_well(net, batches, opt, epochs):
    for _ in range(epochs):
        opt.zero_grad()
        for x, y in batches:
            F.mse_loss(net(x), y).backward()
            opt.step()
            opt.zero_grad()


def clear(opt):
    opt.zero_grad(set_to_none=True)


def cleared_by_a_helper(net, batches, opt, epochs):
    opt.zero_grad()
    for _ in range(epochs):
        for x, y in batches:
            clear(opt)
            F.mse_loss(net(x), y).backward()
            opt.step()


def at_the_top_of_the_window(net, batches, opt, every, epochs):
    for _ in range(epochs):
        opt.zero_grad()
        for i, (x, y) in enumerate(batches):
            (F.mse_loss(net(x), y) / every).backward()
            if (i + 1) % every == 0 or i + 1 == len(batches):
                opt.step()
                opt.zero_grad()


def another_optimizer(net, head, batches, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt_head = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(epochs):
        opt_head.zero_grad()
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
