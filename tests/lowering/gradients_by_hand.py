import torch
import torch.nn.functional as F


def descend(net, x, y, rate):
    loss = F.mse_loss(net(x), y)
    loss.backward(retain_graph=True)
    with torch.no_grad():
        for p in net.parameters():
            p.sub_(p.grad * rate)
            p.grad.zero_()
    return loss.detach()
