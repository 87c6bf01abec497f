import torch
import torch.nn.functional as F


def one_read_a_step(net, loader, opt, device):
    net.to(device)
    shown = 0.0
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = F.cross_entropy(net(x.to(device)), y.to(device))
        loss.backward()
        opt.step()
        shown = 0.9 * shown + 0.1 * loss.item()  # expect: host-sync-in-loop
        if step % 100 == 0:
            print(step, shown)


def two_reads_a_step(net, loader, opt, device):
    total, hits = 0.0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        out = net(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        opt.step()
        total += float(loss)  # expect: host-sync-in-loop
        hits += (out.argmax(1) == y).sum().item()  # expect: host-sync-in-loop
    return total, hits


def printing(net, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        print("loss", loss)  # expect: host-sync-in-loop


def formatting(net, loader, opt, progress):
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        progress.set_description(f"loss {loss:.4f}")  # expect: host-sync-in-loop


def a_condition(net, loader, opt):
    worst = 0
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        if loss > 10.0:  # expect: host-sync-in-loop
            worst += 1
    return worst


def copied_to_the_host(net, loader, opt):
    curve = []
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        curve.append(loss.detach().cpu())  # expect: host-sync-in-loop
    return curve


def for_every_parameter(net, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        norm = 0.0
        for p in net.parameters():
            norm += p.grad.norm().item()  # expect: host-sync-in-loop
        opt.step()


def train_step(net, x, y, opt):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    return loss.item()  # expect: host-sync-in-loop


def in_a_helper(net, loader, opt):
    for x, y in loader:
        train_step(net, x, y, opt)
