import torch
import torch.nn.functional as F


def augmented(net, batches, opt):
    total = 0.0
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        total += loss  # expect: graph-kept-accumulator
    return total / len(batches)


def rebound(net, batches, opt):
    total = torch.zeros(())
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        total = total + loss  # expect: graph-kept-accumulator
    return total


def moving_average(net, batches, opt):
    shown = 0.0
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        shown = 0.9 * shown + 0.1 * loss  # expect: graph-kept-accumulator
    print(shown)


def in_place(net, batches, opt, device):
    running = torch.zeros((), device=device)
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        running.add_(loss)  # expect: graph-kept-accumulator
    return running


def in_a_dict(net, batches, opt):
    sums = {"loss": 0.0}
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        sums["loss"] += loss  # expect: graph-kept-accumulator
    return sums


class RunningMean:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def push(self, value, n):
        self.total = self.total + value * n
        self.n += n


def through_a_method(net, batches, opt):
    mean = RunningMean()
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        mean.push(loss, x.size(0))  # expect: graph-kept-accumulator
    return mean


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.epoch_loss = 0.0

    def fit(self, batches):
        for x, y in batches:
            self.opt.zero_grad()
            loss = F.mse_loss(self.net(x), y)
            loss.backward()
            self.opt.step()
            self.epoch_loss += loss  # expect: graph-kept-accumulator


def parts_that_were_run_backward(critic, batches, opt):
    total = 0.0
    for real, fake in batches:
        opt.zero_grad()
        loss_real = critic(real).mean()
        loss_real.backward()
        loss_fake = -critic(fake).mean()
        loss_fake.backward()
        opt.step()
        total += loss_real + loss_fake  # expect: graph-kept-accumulator
    return total


def evaluation_with_gradients(net, batches):
    net.eval()
    total = 0.0
    for x, y in batches:
        total += F.mse_loss(net(x), y)  # expect: graph-kept-accumulator, eval-without-no-grad
    return total / len(batches)


def only_shown(net, batches, opt):
    penalty_sum = 0.0
    for x, y in batches:
        opt.zero_grad()
        out = net(x)
        F.mse_loss(out, y).backward()
        opt.step()
        penalty_sum += net(y).abs().mean()  # expect: graph-kept-accumulator
    print(float(penalty_sum))


def train_step(net, x, y, opt):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    return loss


def from_a_helper(net, batches, opt):
    total = 0.0
    for x, y in batches:
        total += train_step(net, x, y, opt)  # expect: graph-kept-accumulator
    return total
