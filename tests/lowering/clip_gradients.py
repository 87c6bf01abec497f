import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_


def fit(net, batches, opt, limit, every):
    for i, (x, y) in enumerate(batches):
        loss = F.cross_entropy(net(x), y) / every
        loss.backward()
        if (i + 1) % every == 0:
            clip_grad_norm_(net.parameters(), limit)
            opt.step()
            opt.zero_grad()
