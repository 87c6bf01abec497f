import torch
import torch.nn.functional as F


def curve(net, batches, opt):
    losses = []
    for x, y in batches:
        opt.zero_grad()
        loss = F.smooth_l1_loss(net(x), y)
        loss.backward()
        opt.step()
        losses.append(loss)
        if len(losses) > 100:
            losses.clear()
    return torch.stack(losses)
