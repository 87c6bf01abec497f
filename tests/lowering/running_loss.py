import torch.nn.functional as F


def run_epoch(net, batches, opt):
    total = 0.0
    seen = 0
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        total += loss.item() * x.size(0)
        seen += x.size(0)
        if seen % 1000 == 0:
            print(seen, total / seen)
    return total / seen
