import torch
import torch.nn.functional as F


def cleared_too_late(net, batches, opt):
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.zero_grad()  # expect: zero-grad-before-step
        opt.step()


def the_model_is_cleared(net, batches, opt):
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        net.zero_grad()  # expect: zero-grad-before-step
        opt.step()


def one_step(net, x, y, opt):
    F.mse_loss(net(x), y).backward()
    opt.zero_grad()  # expect: zero-grad-before-step
    opt.step()


def in_one_branch_of_two(net, batches, opt, scaler, amp):
    for x, y in batches:
        loss = F.cross_entropy(net(x), y)
        if amp:
            opt.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
        else:
            loss.backward()
            opt.zero_grad()  # expect: zero-grad-before-step
            opt.step()


class Agent:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.RMSprop(net.parameters())

    def learn(self, x, y):
        loss = F.smooth_l1_loss(self.net(x), y)
        loss.backward()
        self.optimizer.zero_grad()  # expect: zero-grad-before-step
        self.optimizer.step()
