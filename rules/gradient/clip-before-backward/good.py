import torch
import torch.nn.functional as F
from somewhere import backward_and_log


def after_backward(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


def what_was_added_up_before(net, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        if i % every == 0 and i > 0:
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
        (F.mse_loss(net(x), y) / every).backward()


def code_that_is_not_seen_runs_backward(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        backward_and_log(loss)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


def in_a_closure(net, x, y, steps):
    opt = torch.optim.LBFGS(net.parameters())

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        return loss

    for _ in range(steps):
        opt.step(closure)
