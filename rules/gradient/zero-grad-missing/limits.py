import torch
import torch.nn.functional as F


class Loop:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters())

    def optimise(self, loss):
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def fit(self, batches):
        for x, y in batches:
            self.optimise(F.mse_loss(self.net(x), y))


class Derived(Loop):
    def optimise(self, loss):
        loss.backward()
        self.opt.step()  # expect-not-yet: zero-grad-missing — an inherited method is not run again for each class that overrides what it calls


def several_parameters(gen, critic, opt_g, opt_c, reals):
    for real in reals:
        gen.zero_grad()
        critic(gen(real)).mean().backward()
        opt_c.step()  # expect-not-yet: zero-grad-missing — nothing tells that opt_c does not hold gen
