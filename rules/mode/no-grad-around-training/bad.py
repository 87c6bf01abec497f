import torch
import torch.nn.functional as F


def the_forward_is_inside(net, x, y, opt):
    opt.zero_grad()
    with torch.no_grad():  # expect: no-grad-around-training
        loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()


@torch.no_grad()  # expect: no-grad-around-training
def a_decorated_step(net, x, y, opt):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()


def inference_mode(net, batches, opt):
    with torch.inference_mode():  # expect: no-grad-around-training
        for x, y in batches:
            opt.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            opt.step()


def compute_loss(net, x, y):
    return F.mse_loss(net(x), y)


def through_a_helper(net, x, y, opt):
    opt.zero_grad()
    with torch.set_grad_enabled(False):  # expect: no-grad-around-training
        loss = compute_loss(net, x, y)
    loss.backward()
    opt.step()


def a_guard_over_everything(net: torch.nn.Module, x, y, opt):
    with torch.no_grad():  # expect: no-grad-around-training
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
