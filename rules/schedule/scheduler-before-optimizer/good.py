import torch
import torch.nn.functional as F


def afterwards(net, batches, opt, scheduler):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        scheduler.step()


def at_the_end_of_the_epoch(net, batches, opt, scheduler, epochs):
    for _ in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        scheduler.step()


def the_epoch_is_given(net, batches, opt, scheduler, epochs):
    for epoch in range(epochs):
        scheduler.step(epoch)
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()


def fast_forward(net, batches, opt, scheduler, done, epochs):
    for _ in range(done):
        scheduler.step()
    for _ in range(done, epochs):
        for x, y in batches:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        scheduler.step()


def two_pairs(gen, critic, opt_g, opt_c, sched_g, sched_c, batches):
    for x, y in batches:
        opt_c.zero_grad()
        F.mse_loss(critic(x), y).backward()
        opt_c.step()
        sched_c.step()
        opt_g.zero_grad()
        F.mse_loss(gen(y), x).backward()
        opt_g.step()
        sched_g.step()
