import torch
import torch.nn.functional as F


def every_kth_round(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        loss = F.cross_entropy(net(x), y)
        loss.backward()  # expect: accum-loss-not-scaled
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def through_a_scaler(net, batches, opt, scaler):
    criterion = torch.nn.CrossEntropyLoss()
    for i, (x, y) in enumerate(batches):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(net(x), y)
        scaler.scale(loss).backward()  # expect: accum-loss-not-scaled
        if i % 4 != 3:
            continue
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()


def a_loop_of_micro_batches(net, next_batch, opt, steps, every):
    for _ in range(steps):
        opt.zero_grad()
        for _ in range(every):
            x, y = next_batch()
            F.mse_loss(net(x), y).backward()  # expect: accum-loss-not-scaled
        opt.step()


def counted_by_hand(net, batches, opt, every):
    opt.zero_grad()
    i = 0
    for x, y in batches:
        loss = F.cross_entropy(net(x), y)
        loss.backward()  # expect: accum-loss-not-scaled
        i += 1
        if i % every == 0:
            opt.step()
            opt.zero_grad()
