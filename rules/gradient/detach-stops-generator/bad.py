import torch
import torch.nn.functional as F


def both_losses_detach(gen, critic, opt_g, opt_c, reals, z_dim):
    gen.train()
    for real in reals:
        fake = gen(torch.randn(real.size(0), z_dim))
        opt_c.zero_grad()
        loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
        loss_c.backward()
        opt_c.step()

        opt_g.zero_grad()
        loss_g = F.softplus(-critic(fake.detach())).mean()  # expect: detach-stops-generator
        loss_g.backward()
        opt_g.step()


def detached_once_for_both(reals, z_dim):
    generator = torch.nn.Linear(z_dim, 8)
    discriminator = torch.nn.Linear(8, 1)
    optimizer_G = torch.optim.Adam(generator.parameters())
    optimizer_D = torch.optim.Adam(discriminator.parameters())
    for real in reals:
        fake = generator(torch.randn(real.size(0), z_dim)).detach()  # expect: detach-stops-generator
        optimizer_D.zero_grad()
        (discriminator(fake) - discriminator(real)).mean().backward()
        optimizer_D.step()
        optimizer_G.zero_grad()
        discriminator(fake).mean().neg().backward()
        optimizer_G.step()


def one_critic_for_both(gen, critic, opt_g, opt_c, reals):
    for real in reals:
        fake = gen(torch.randn_like(real))
        opt_c.zero_grad()
        loss_c = (critic(fake.detach()) - critic(real)).mean()
        loss_c.backward()
        opt_c.step()

        opt_g.zero_grad()
        loss_g = critic(fake.detach()).mean().neg()  # expect: detach-stops-generator
        loss_g.backward()
        opt_g.step()
