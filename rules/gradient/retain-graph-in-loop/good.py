import torch
import torch.nn.functional as F
from somewhere import sharpness


def two_losses_share_a_graph(trunk, head_a, head_b, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        features = trunk(x)
        F.mse_loss(head_a(features), y).backward(retain_graph=True)
        F.l1_loss(head_b(features), y).backward()
        opt.step()


def adversarial(gen, critic, opt_g, opt_c, reals):
    for real in reals:
        fake = gen(torch.randn_like(real))
        opt_c.zero_grad()
        (critic(fake) - critic(real)).mean().backward(retain_graph=True)
        opt_c.step()
        opt_g.zero_grad()
        critic(fake).mean().neg().backward()
        opt_g.step()


def one_output_after_the_other(net, x):
    x.requires_grad_()
    y = net(x)
    rows = []
    for i in range(y.size(0)):
        x.grad = None
        y[i].backward(retain_graph=True)
        rows.append(x.grad)
    return rows


def a_gradient_is_asked_for_later(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(retain_graph=True)
        grads = torch.autograd.grad(loss, list(net.parameters()))
        opt.step()
        print(len(grads))


def code_that_is_not_seen_gets_the_loss(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(retain_graph=True)
        sharpness(loss, net)
        opt.step()


def not_kept(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward(retain_graph=False)
        opt.step()
