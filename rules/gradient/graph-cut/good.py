import torch
import torch.nn.functional as F


def the_tensor_itself(net, x, y, opt):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    return loss.item()


def a_temperature(policy, states, target_entropy):
    log_alpha = torch.zeros(1, requires_grad=True)
    opt = torch.optim.Adam([log_alpha], lr=1e-3)
    for state in states:
        opt.zero_grad()
        log_prob = policy(state)
        loss = -(log_alpha * (log_prob + target_entropy).detach()).mean()
        loss.backward()
        opt.step()


def one_term_is_a_constant(net, x, y, opt):
    opt.zero_grad()
    out = net(x)
    weight = out.detach().abs().mean().item()
    (F.mse_loss(out, y) + weight).backward()
    opt.step()


def an_attack(net, x, y):
    adversarial = x.clone().detach().requires_grad_()
    F.cross_entropy(net(adversarial), y).backward()
    return adversarial.grad.sign()


def a_distilled_target(teacher, student, x, opt):
    opt.zero_grad()
    target = teacher(x).detach()
    F.mse_loss(student(x), target).backward()
    opt.step()


def the_target_is_given_first(net, target_net, x, y, opt):
    opt.zero_grad()
    with torch.no_grad():
        wanted = y.flatten() + 0.99 * target_net(x).max(dim=1).values
    F.mse_loss(wanted, net(x).max(dim=1).values).backward()
    opt.step()
