import torch
import torch.nn.functional as F


def once_an_epoch(net, batches, opt, epochs):
    for _ in range(epochs):
        opt.zero_grad()  # expect: zero-grad-wrong-scope
        for x, y in batches:
            F.mse_loss(net(x), y).backward()
            opt.step()


def once_before_everything(net, batches, opt):
    opt.zero_grad()  # expect: zero-grad-wrong-scope
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        opt.step()


def the_model_is_cleared_once_an_epoch(net, batches, opt, epochs):
    for _ in range(epochs):
        net.zero_grad(set_to_none=True)  # expect: zero-grad-wrong-scope
        for x, y in batches:
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())

    def train_batch(self, x, y):
        F.mse_loss(self.net(x), y).backward()
        self.optimizer.step()

    def fit(self, batches, epochs):
        for _ in range(epochs):
            self.optimizer.zero_grad()  # expect: zero-grad-wrong-scope
            for x, y in batches:
                self.train_batch(x, y)


def through_a_scaler(net, batches, opt, scaler, epochs):
    for _ in range(epochs):
        opt.zero_grad()  # expect: zero-grad-wrong-scope
        for x, y in batches:
            loss = F.cross_entropy(net(x), y)
            scaler.scale(loss).backward()
            scaler.step(opt)
            scaler.update()
