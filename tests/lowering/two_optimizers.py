import torch
import torch.nn.functional as F


def alternate(generator, critic, opt_g, opt_c, reals):
    generator.train()
    critic.train()
    for real in reals:
        z = torch.randn_like(real)
        fake = generator(z)
        opt_c.zero_grad()
        loss_c = critic(fake.detach()).mean() - critic(real).mean()
        loss_c.backward()
        opt_c.step()
        opt_g.zero_grad()
        loss_g = -critic(generator(z)).mean()
        loss_g.backward()
        opt_g.step()
