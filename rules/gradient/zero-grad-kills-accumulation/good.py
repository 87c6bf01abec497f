import torch
import torch.nn.functional as F


def cleared_with_the_step(net, batches, opt, every):
    opt.zero_grad()
    for i, (x, y) in enumerate(batches):
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()


def cleared_at_the_start_of_a_window(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        if i % every == 0:
            opt.zero_grad()
        (F.mse_loss(net(x), y) / every).backward()
        if (i + 1) % every == 0:
            opt.step()


def no_accumulation(net, batches, opt, log_every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        if i % log_every == 0:
            print(i)


def the_generator_learns_every_few_rounds(gen, critic, opt_g, opt_c, reals, every):
    for i, real in enumerate(reals):
        opt_c.zero_grad()
        fake = gen(torch.randn_like(real))
        (critic(fake.detach()) - critic(real)).mean().backward()
        opt_c.step()
        opt_g.zero_grad()
        if i % every == 0:
            critic(gen(torch.randn_like(real))).mean().neg().backward()
            opt_g.step()


def two_phases(net, batches, opt, criterion):
    for x, y in batches:
        opt.zero_grad()
        criterion(net(x), y).backward()
        opt.step()
    opt.zero_grad()
    penalty = 0
    for x, _ in batches:
        penalty = penalty + net(x).abs().mean()
    penalty.backward()
    opt.step()
