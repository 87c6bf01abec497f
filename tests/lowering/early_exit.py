import torch.nn.functional as F


def fit(net, batches, opt, best, patience):
    if patience == 0:
        return best
    bad = 0
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        value = loss.item()
        if value != value:
            continue
        elif value < best:
            best = value
            bad = 0
        else:
            bad += 1
        if bad > patience:
            break
        opt.zero_grad()
        loss.backward()
        opt.step()
    return best
