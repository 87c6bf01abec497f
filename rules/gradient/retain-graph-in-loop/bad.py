import torch
import torch.nn.functional as F


def never_needed(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(retain_graph=True)  # expect: retain-graph-in-loop
        opt.step()


def through_a_scaler(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward(retain_graph=True)  # expect: retain-graph-in-loop
        scaler.step(opt)
        scaler.update()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters())

    def train_batch(self, x, y):
        self.opt.zero_grad()
        loss = F.mse_loss(self.net(x), y)
        loss.backward(retain_graph=True)  # expect: retain-graph-in-loop
        self.opt.step()
        return loss.item()


def the_last_of_two_losses(trunk, head_a, head_b, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        features = trunk(x)
        F.mse_loss(head_a(features), y).backward(retain_graph=True)
        F.l1_loss(head_b(features), y).backward(retain_graph=True)  # expect: retain-graph-in-loop
        opt.step()
