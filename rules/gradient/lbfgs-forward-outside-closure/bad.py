import torch
import torch.nn.functional as F


def loss_from_outside(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters(), lr=0.5)
    for i in range(steps):
        loss = F.mse_loss(net(x), y)

        def closure():
            opt.zero_grad()
            loss.backward(retain_graph=True)  # expect: lbfgs-forward-outside-closure
            return loss

        opt.step(closure)


def only_returned(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())
    for _ in range(steps):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()

        def closure():
            return loss  # expect: lbfgs-forward-outside-closure

        opt.step(closure)
