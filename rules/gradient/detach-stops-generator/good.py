import torch
import torch.nn.functional as F


def only_the_critics_loss_detaches(gen, critic, opt_g, opt_c, reals, z_dim):
    gen.train()
    for real in reals:
        fake = gen(torch.randn(real.size(0), z_dim))
        opt_c.zero_grad()
        loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
        loss_c.backward()
        opt_c.step()

        opt_g.zero_grad()
        loss_g = F.softplus(-critic(fake)).mean()
        loss_g.backward()
        opt_g.step()


def a_target_network(actor, critic, target, opt_actor, opt_critic, batches):
    for state, reward, following in batches:
        wanted = reward + 0.99 * target(following).detach()
        opt_critic.zero_grad()
        F.mse_loss(critic(state), wanted).backward()
        opt_critic.step()
        opt_actor.zero_grad()
        critic(actor(state)).mean().neg().backward()
        opt_actor.step()


def one_model_two_optimizers(net, head, batches):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt_head = torch.optim.SGD(head.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        opt_head.zero_grad()
        features = net(x)
        (F.mse_loss(head(features.detach()), y) + features.pow(2).mean()).backward()
        opt.step()
        opt_head.step()
