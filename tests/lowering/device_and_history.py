import torch.nn.functional as F


def fit(net, batches, opt, device, history):
    net.to(device)
    for x, y in batches:
        x = x.to(device)
        y = y.to(device)
        opt.zero_grad()
        out = net(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        opt.step()
        history.append(loss.detach().cpu())
        best = out.max() if x.size(0) > 1 else out.min()
        history[0] = best
    return history
