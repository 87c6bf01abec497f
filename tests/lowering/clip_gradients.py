import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_


def fit(net, batches, opt, limit, every):
    i = 0
    for x, y in batches:
        loss = F.cross_entropy(net(x), y) / every
        loss.backward()
        i += 1
        if i % every == 0:
            clip_grad_norm_(net.parameters(), limit)
            opt.step()
            opt.zero_grad()
