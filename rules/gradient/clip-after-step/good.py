import torch
import torch.nn.functional as F


def before_the_step(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


def the_other_networks_gradients(gen, critic, reals):
    opt_g = torch.optim.Adam(gen.parameters())
    opt_c = torch.optim.Adam(critic.parameters())
    for real in reals:
        opt_c.zero_grad()
        critic(real).mean().backward()
        opt_c.step()
        opt_g.zero_grad()
        critic(gen(torch.randn_like(real))).mean().backward()
        torch.nn.utils.clip_grad_norm_(gen.parameters(), 1.0)
        opt_g.step()


def the_second_of_two_steps(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        opt.zero_grad()
        F.l1_loss(net(x), y).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.AdamW(net.parameters())

    def update(self):
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        self.opt.zero_grad()

    def fit(self, batches):
        for x, y in batches:
            F.mse_loss(self.net(x), y).backward()
            self.update()
