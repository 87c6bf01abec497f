import torch
import torch.nn.functional as F


def as_a_number(net, batches, opt):
    total = 0.0
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        if i % 10 == 0:
            total += loss.item()
    return total


def detached(net, batches, opt, device):
    total = torch.zeros((), device=device)
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        total += loss.detach()
    return total.item()


def detached_before(net, batches, opt):
    total = 0.0
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        loss = loss.detach()
        total = total + loss
    return total


def of_its_data(net, batches, opt):
    total = 0.0
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        total += loss.data
    return total


def hits_have_no_gradient(net, batches, opt):
    hits = 0
    for x, y in batches:
        opt.zero_grad()
        out = net(x)
        F.cross_entropy(out, y).backward()
        opt.step()
        hits += (out.argmax(1) == y).sum()
    return hits


@torch.no_grad()
def evaluation(net, batches):
    net.eval()
    total = 0.0
    for x, y in batches:
        total += F.mse_loss(net(x), y)
    return total / len(batches)


def evaluation_in_a_scope(net, batches):
    total = 0.0
    with torch.no_grad():
        for x, y in batches:
            total += F.mse_loss(net(x), y)
    return total.item()


def evaluation_in_inference_mode(net, batches):
    total = 0.0
    with torch.inference_mode():
        for x, y in batches:
            total = total + F.mse_loss(net(x), y)
    return total


def the_sum_is_run_backward(net, windows, opt):
    for window in windows:
        opt.zero_grad()
        loss = 0.0
        for x, y in window:
            loss += F.mse_loss(net(x), y)
        (loss / len(window)).backward()
        opt.step()


def over_a_few_steps(net, batches, opt, every):
    loss = 0.0
    for i, (x, y) in enumerate(batches):
        loss = loss + F.mse_loss(net(x), y)
        if (i + 1) % every == 0:
            opt.zero_grad()
            loss.backward()
            opt.step()
            loss = 0.0


def multi_head_loss(heads, features, targets):
    total = 0.0
    for head, target in zip(heads, targets):
        total = total + F.mse_loss(head(features), target)
    return total


def uses_the_helper(heads, batches, opt):
    for features, targets in batches:
        opt.zero_grad()
        multi_head_loss(heads, features, targets).backward()
        opt.step()


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n


def numbers_through_a_method(net, batches, opt):
    meter = AverageMeter()
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        meter.update(loss.detach(), x.size(0))
    return meter


def train_step(net, x, y, opt):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    return loss.detach()


def from_a_helper(net, batches, opt):
    total = 0.0
    for x, y in batches:
        total += train_step(net, x, y, opt)
    return total


def residual(blocks, x):
    for block in blocks:
        x = x + block(x)
    return x


def functional_gradient(net, batches):
    total = 0.0
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        (grad,) = torch.autograd.grad(loss, [net.weight])
        total = total + grad.norm()
    return total


def anew_each_round(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        both = F.mse_loss(net(x), y)
        both = both + F.l1_loss(net(x), y)
        both.backward()
        opt.step()
