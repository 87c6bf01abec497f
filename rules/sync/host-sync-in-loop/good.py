import math

import torch
import torch.nn.functional as F


def every_hundred_steps(net, loader, opt):
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        if step % 100 == 0:
            print(step, loss.item())


def every_hundred_steps_by_continue(net, loader, opt):
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        if step % 100:
            continue
        print(step, loss.item())


def once_an_epoch(net, loader, opt, epochs):
    for _ in range(epochs):
        total = torch.zeros(())
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
            total += loss.detach()
        print(total.item())


def when_debugging(net, loader, opt, debug):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        if debug:
            print(loss)


def a_loss_that_is_not_finite(net, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if not math.isfinite(loss.item()):
            raise RuntimeError("loss is not finite")
        loss.backward()
        opt.step()


def a_batch_that_is_skipped(net, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if torch.isnan(loss):
            continue
        loss.backward()
        opt.step()


def early_stopping(net, loader, opt, target):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        value = loss.item()
        if value < target:
            break


@torch.no_grad()
def evaluation(net, loader):
    hits = 0
    for x, y in loader:
        hits += (net(x).argmax(1) == y).sum().item()
    return hits


def on_the_host_already(net, loader, opt):
    seen = 0
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
        seen += x.size(0) + len(y)
        labels = y.tolist()
        print(seen, x.shape, labels)


def on_the_cpu(loader):
    net = torch.nn.Linear(4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        print(loss.item())


def is_it_there(net, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if loss is not None:
            loss.backward()
        opt.step()


def evaluation_every_epoch(net, loader, held_out, opt, epochs):
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        print(evaluation(net, held_out))


def until_it_converges(net, x, y, opt, tolerance):
    loss = torch.ones(())
    while loss.item() > tolerance:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()


def compared_with_texts(net, batches, opt, criterion, kind):
    for batch in batches:
        for k in batch:
            if k != "meta":
                batch[k] = batch[k].cuda()
        opt.zero_grad()
        criterion(net(batch["x"]), batch["y"]).backward()
        opt.step()
