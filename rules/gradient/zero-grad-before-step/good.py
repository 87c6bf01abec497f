import torch
import torch.nn.functional as F


def before_backward(net, batches, opt):
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


def after_the_step(net, batches, opt):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()
        opt.zero_grad()


def the_critics_gradients_of_the_generators_loss(gen, critic, opt_g, opt_c, reals):
    for real in reals:
        fake = gen(torch.randn_like(real))
        opt_g.zero_grad()
        critic(fake).mean().backward()
        opt_c.zero_grad()
        opt_g.step()
        (critic(fake.detach()) - critic(real)).mean().backward()
        opt_c.step()


def gradients_that_are_not_finite_are_thrown_away(net, batches, opt, finite):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        if not finite(net):
            opt.zero_grad()
        opt.step()
        opt.zero_grad()


def two_losses(net, batches, opt):
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()
        opt.zero_grad()
        F.l1_loss(net(x), y).backward()
        opt.step()
        opt.zero_grad()
