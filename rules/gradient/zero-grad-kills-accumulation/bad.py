import torch
import torch.nn.functional as F


def cleared_every_round(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()  # expect: zero-grad-kills-accumulation
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()


def cleared_at_the_end_of_every_round(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()
        net.zero_grad()  # expect: zero-grad-kills-accumulation


def through_a_scaler(net, batches, opt, scaler, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad(set_to_none=True)  # expect: zero-grad-kills-accumulation
        loss = F.cross_entropy(net(x), y) / every
        scaler.scale(loss).backward()
        if (i + 1) % every != 0:
            continue
        scaler.step(opt)
        scaler.update()


def a_loop_of_micro_batches(net, next_batch, opt, steps, every):
    for _ in range(steps):
        for _ in range(every):
            x, y = next_batch()
            opt.zero_grad()  # expect: zero-grad-kills-accumulation
            (F.mse_loss(net(x), y) / every).backward()
        opt.step()


def counted_by_hand(net, batches, opt, every):
    i = 0
    for x, y in batches:
        opt.zero_grad()  # expect: zero-grad-kills-accumulation
        (F.mse_loss(net(x), y) / every).backward()
        i += 1
        if i % every == 0:
            opt.step()
