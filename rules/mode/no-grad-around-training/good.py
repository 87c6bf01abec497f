import torch
import torch.nn.functional as F


def a_frozen_part(encoder, head, x, y, opt):
    opt.zero_grad()
    with torch.no_grad():
        features = encoder(x)
    F.cross_entropy(head(features), y).backward()
    opt.step()


def as_the_phase_says(net, batches, opt, training):
    for x, y in batches:
        with torch.set_grad_enabled(training):
            loss = F.mse_loss(net(x), y)
            if training:
                opt.zero_grad()
                loss.backward()
                opt.step()


def backward_under_a_guard(net, x, y, opt):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    with torch.no_grad():
        loss.backward()
    opt.step()


@torch.no_grad()
def step_of_an_optimizer(net, x, y, opt):
    with torch.enable_grad():
        loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()


def targets_without_a_graph(net, target_net, x, r, opt):
    with torch.no_grad():
        target = r + target_net(x).max(1).values
    opt.zero_grad()
    F.mse_loss(net(x).max(1).values, target).backward()
    opt.step()


def step(net, x, y, opt, training):
    loss = F.mse_loss(net(x), y)
    if training:
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss


def a_step_that_is_told_not_to_train(net, batches, val_batches, opt):
    for x, y in batches:
        step(net, x, y, opt, True)
    with torch.no_grad():
        return [step(net, x, y, opt, training=False) for x, y in val_batches]


def backward_where_there_is_a_graph(net, x, y, opt):
    with torch.no_grad():
        loss = F.mse_loss(net(x), y)
        if loss.requires_grad:
            loss.backward()
    opt.step()
