import torch
import torch.nn.functional as F


def with_the_step(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            opt.zero_grad()


def before_a_step_that_comes_every_round(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        if (i + 1) % every == 0:
            print(i)


def each_samples_gradient(net, samples, opt):
    sums = [torch.zeros_like(p) for p in net.parameters()]
    for x, y in samples:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        for total, p in zip(sums, net.parameters()):
            total += p.grad
    for total, p in zip(sums, net.parameters()):
        p.grad = total
    opt.step()


def with_and_without_scaler(net, batches, opt, scaler, criterion, every, amp):
    for i, (x, y) in enumerate(batches):
        loss = criterion(net(x), y) / every
        if amp:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if not every or (i + 1) % every == 0:
            if amp:
                scaler.unscale_(opt)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            if amp:
                scaler.step(opt)
                scaler.update()
            else:
                opt.step()
            opt.zero_grad()
