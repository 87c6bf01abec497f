import torch
import torch.nn.functional as F


def by_update(net, batches, opt):
    logs = {}
    for step, (x, y) in enumerate(batches):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        logs.update({step: loss})  # expect-not-yet: graph-kept-container — what dict.update puts in is not followed


def as_a_default(net, batches, opt):
    logs = {}
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        logs.setdefault("loss", []).append(loss)  # expect-not-yet: graph-kept-container — what setdefault gives back is not known to be inside
