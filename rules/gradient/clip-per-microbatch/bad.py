import torch
import torch.nn.functional as F


def every_round(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-per-microbatch
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def a_loop_of_micro_batches(net, next_batch, opt, steps, every):
    for _ in range(steps):
        opt.zero_grad()
        for _ in range(every):
            x, y = next_batch()
            (F.mse_loss(net(x), y) / every).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-per-microbatch
        opt.step()


def counted_by_hand(net, batches, opt, every):
    opt.zero_grad()
    i = 0
    for x, y in batches:
        (F.mse_loss(net(x), y) / every).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: clip-per-microbatch
        i += 1
        if i % every == 0:
            opt.step()
            opt.zero_grad()
