import copy

import torch
import torch.nn.functional as F


def kept_in_a_name(net, train, score, opt, epochs):
    best, best_score = None, 0.0
    for _ in range(epochs):
        for x, y in train:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        if score(net) > best_score:
            best_score = score(net)
            best = net.state_dict()  # expect: best-weights-alias
    net.load_state_dict(best)
    return net


def kept_in_a_dict(net, train, opt, epochs, path):
    best = {}
    lowest = 1e9
    for epoch in range(epochs):
        for x, y in train:
            opt.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        if float(loss) < lowest:
            lowest = float(loss)
            best = {"epoch": epoch, "model": net.state_dict()}  # expect: best-weights-alias
    torch.save(best, path)


def a_shallow_copy(net, batches, opt):
    start = net.state_dict().copy()  # expect: best-weights-alias
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    net.load_state_dict(start)


def the_model_itself(model, batches, score, opt):
    best_model, best = model, 0.0
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()
        if score(model) > best:
            best_model = model  # expect: best-weights-alias
            best = score(model)
    torch.save(best_model.state_dict(), "best.pt")


class Trainer:
    def __init__(self, net, opt):
        self.net = net
        self.opt = opt
        self.best = None

    def fit(self, batches, score):
        top = 0.0
        for x, y in batches:
            self.opt.zero_grad()
            F.mse_loss(self.net(x), y).backward()
            self.opt.step()
            if score(self.net) > top:
                self.best = self.net.state_dict()  # expect: best-weights-alias
        self.net.load_state_dict(self.best)


def of_the_lowest_score(net, batches, opt, score):
    best = None
    lowest = 1e9
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        now = score()
        if now < lowest:
            lowest = now
            best = net  # expect: best-weights-alias
    torch.save(best, "best.pt")
    return net
