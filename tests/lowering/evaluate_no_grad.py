import torch


def evaluate(net, batches):
    net.eval()
    hits = 0
    seen = 0
    with torch.no_grad():
        for x, y in batches:
            guess = net(x).argmax(1)
            hits += (guess == y).sum().item()
            seen += x.size(0)
    return hits / seen
