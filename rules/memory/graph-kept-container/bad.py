from collections import defaultdict

import torch
import torch.nn.functional as F


def losses(net, batches, opt, epochs):
    curve = []
    for epoch in range(epochs):
        for x, y in batches:
            opt.zero_grad()
            loss = F.smooth_l1_loss(net(x), y)
            loss.backward()
            opt.step()
            curve.append(loss)  # expect: graph-kept-container
    return curve


def for_an_epoch(net, batches, opt, epochs):
    for _ in range(epochs):
        curve = []
        for x, y in batches:
            opt.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            curve += [loss]  # expect: graph-kept-container
        print(len(curve))


def in_a_tuple(net, batches, opt):
    history = []
    for step, (x, y) in enumerate(batches):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        history.append((step, loss))  # expect: graph-kept-container
    return history


def in_a_dict_of_lists(net, batches, opt):
    history = {"loss": [], "norm": []}
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        history["loss"].append(loss)  # expect: graph-kept-container
    return history


def in_a_default_dict(net, batches, opt):
    history = defaultdict(list)
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        history["loss"].append(loss)  # expect: graph-kept-container


def by_key(net, batches, opt):
    by_step = {}
    for step, (x, y) in enumerate(batches):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        by_step[step] = loss  # expect: graph-kept-container
    return by_step


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.losses = []

    def step(self, x, y):
        self.opt.zero_grad()
        loss = F.mse_loss(self.net(x), y)
        loss.backward()
        self.opt.step()
        return loss

    def fit(self, batches):
        for x, y in batches:
            self.losses.append(self.step(x, y))  # expect: graph-kept-container


class Recorder:
    def __init__(self):
        self.rows = []

    def record(self, value):
        self.rows.append(value)


def through_a_method(net, batches, opt):
    recorder = Recorder()
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        recorder.record(loss)  # expect: graph-kept-container


def outputs_of_an_evaluation(net, batches):
    net.eval()
    outputs = []
    for x, _ in batches:
        outputs.append(net(x))  # expect: graph-kept-container, eval-without-no-grad
    return torch.cat(outputs)


def on_the_host_with_its_graph(net, batches):
    net.eval()
    outputs = []
    for x, _ in batches:
        outputs.append(net(x).cpu())  # expect: graph-kept-container, eval-without-no-grad
    return outputs


def retained(net, batches, opt):
    kept = []
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward(retain_graph=True)  # expect: retain-graph-in-loop
        opt.step()
        kept.append(loss)  # expect: graph-kept-container
    return kept


def concatenated(net, batches, opt):
    seen = torch.zeros(0)
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        seen = torch.cat([seen, loss.view(1)])  # expect: graph-kept-container, cat-in-loop
    return seen


def a_longer_list(net, batches, opt):
    curve = []
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        curve = curve + [loss]  # expect: graph-kept-container
    return curve
