import torch.nn.functional as F


def descend(net, x, y, opt, epochs, tolerance):
    for epoch in range(epochs):
        steps = 0
        error = 1.0
        while error > tolerance:
            opt.zero_grad()
            loss = F.l1_loss(net(x), y)
            loss.backward()
            opt.step()
            error = loss.item()
            steps += 1
            if steps == 1000:
                break
        while True:
            steps -= 1
            if steps < 0:
                break
