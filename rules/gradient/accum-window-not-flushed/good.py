import torch
import torch.nn.functional as F


def stepped_after_the_loop(net, batches, opt, every, epochs):
    for _ in range(epochs):
        opt.zero_grad()
        for i, (x, y) in enumerate(batches):
            (F.mse_loss(net(x), y) / every).backward()
            if (i + 1) % every == 0:
                opt.step()
                opt.zero_grad()
        opt.step()


def stepped_at_the_last_batch(net, batches, opt, every, epochs):
    for _ in range(epochs):
        opt.zero_grad()
        for i, (x, y) in enumerate(batches):
            (F.mse_loss(net(x), y) / every).backward()
            if (i + 1) % every == 0 or i + 1 == len(batches):
                opt.step()
                opt.zero_grad()


def carried_into_the_next_epoch(net, batches, opt, every, epochs):
    opt.zero_grad()
    for _ in range(epochs):
        for i, (x, y) in enumerate(batches):
            (F.mse_loss(net(x), y) / every).backward()
            if (i + 1) % every == 0:
                opt.step()
                opt.zero_grad()


def the_loader_drops_the_rest(net, data, opt, every, epochs):
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, num_workers=2, pin_memory=True, drop_last=True)
    for _ in range(epochs):
        opt.zero_grad()
        for i, (x, y) in enumerate(loader):
            (F.mse_loss(net(x), y) / every).backward()
            if (i + 1) % every == 0:
                opt.step()
                opt.zero_grad()
