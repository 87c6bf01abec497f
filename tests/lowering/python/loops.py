"""Loop headers."""
from tqdm import tqdm, trange

import torch.nn.functional as F


def headers(net, loader, n, table, pairs):
    for i in range(n):
        net(i)
    for i in range(1, n + 1, 2):
        net(i)
    for i in trange(n):
        net(i)
    for i, batch in enumerate(tqdm(loader, desc="train")):
        net(batch)
    for i, (x, y) in tqdm(enumerate(loader), total=n):
        net(x, y)
    for pair in enumerate(loader):
        net(pair)
    for (a, b), c in zip(pairs, loader):
        net(a, b, c)
    for key, value in table.items():
        net(key, value)
    for x in 1, 2:
        net(x)
    for table["k"] in loader:
        net(table)
    for table.field in loader:
        net(table)
    bar = tqdm(loader)
    for x, y in bar:
        bar.set_postfix(loss=F.mse_loss(net(x), y))
    while not table:
        table.pop()
