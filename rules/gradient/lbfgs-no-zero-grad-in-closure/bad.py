import torch
import torch.nn.functional as F


def cleared_outside_only(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters(), lr=0.5)

    def closure():
        loss = F.mse_loss(net(x), y)
        loss.backward()  # expect: lbfgs-no-zero-grad-in-closure
        return loss

    for i in range(steps):
        opt.zero_grad()
        opt.step(closure)


def never_cleared(net, x, y, lbfgs_optimizer, steps):
    def closure():
        loss = F.mse_loss(net(x), y)
        loss.backward()  # expect: lbfgs-no-zero-grad-in-closure
        return loss

    for _ in range(steps):
        lbfgs_optimizer.step(closure)


class Fitter:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.LBFGS(net.parameters(), line_search_fn="strong_wolfe")

    def fit(self, batches):
        for x, y in batches:
            def closure():
                loss = F.mse_loss(self.net(x), y)
                loss.backward()  # expect: lbfgs-no-zero-grad-in-closure
                return loss

            self.optimizer.step(closure)
            self.optimizer.zero_grad()
