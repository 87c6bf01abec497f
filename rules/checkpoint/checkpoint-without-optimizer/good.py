import torch
import torch.nn.functional as F


def fit(net, batches, epochs, path, resume):
    opt = torch.optim.AdamW(net.parameters())
    start = 0
    if resume:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
        net.load_state_dict(checkpoint["model"])
        opt.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        for x, y in batches:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "epoch": epoch}, path)


def only_weights(net, path):
    torch.save(net.state_dict(), path)
    torch.save({"model": net.state_dict(), "classes": 10}, path)
