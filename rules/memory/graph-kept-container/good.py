from collections import deque

import torch
import torch.nn.functional as F


def numbers(net, batches, opt, every):
    curve = []
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        if i % every == 0:
            curve.append(loss.item())
    return curve


def detached(net, batches, opt):
    curve = []
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        curve.append(loss.detach())
    return torch.stack(curve)


@torch.no_grad()
def predict(net, batches):
    net.eval()
    return torch.cat([net(x) for x, _ in batches])


def predict_in_a_scope(net, batches):
    net.eval()
    outputs = []
    with torch.inference_mode():
        for x, _ in batches:
            outputs.append(net(x))
    return outputs


def as_numpy(net, batches):
    outputs = []
    for x, _ in batches:
        outputs.append(net(x).detach().cpu().numpy())
    return outputs


def run_backward_together(net, windows, opt):
    for window in windows:
        opt.zero_grad()
        losses = []
        for x, y in window:
            losses.append(F.mse_loss(net(x), y))
        torch.stack(losses).mean().backward()
        opt.step()


def summed_from_a_comprehension(heads, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        loss = sum([F.mse_loss(head(x), y) for head in heads])
        loss.backward()
        opt.step()


def anew_each_round(heads, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        parts = []
        parts.append(F.mse_loss(heads[0](x), y))
        parts.append(F.l1_loss(heads[1](x), y))
        sum(parts).backward()
        opt.step()


def the_last_hundred(net, batches, opt):
    recent = deque(maxlen=100)
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        recent.append(loss)


def taken_out_again(net, batches, opt, limit):
    recent = []
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        recent.append(loss)
        if len(recent) > limit:
            recent.pop(0)


def a_ring(net, batches, opt, size):
    ring = {}
    for step, (x, y) in enumerate(batches):
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        ring[step % size] = loss


def the_latest_only(net, batches, opt):
    latest = {}
    for x, y in batches:
        opt.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        latest["loss"] = loss
    return latest


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 2)
        self.saved = []

    def forward(self, x):
        return F.log_softmax(self.fc(x), dim=-1)


def reinforce(policy, environment, opt, episodes):
    for _ in range(episodes):
        state, rewards = environment.reset(), []
        for _ in range(1000):
            log_probability = policy(state)
            policy.saved.append(log_probability)
            state, reward = environment.advance()
            rewards.append(reward)
        opt.zero_grad()
        loss = torch.cat(policy.saved).sum()
        loss.backward()
        opt.step()
        policy.saved.clear()


def unrolled(cell, x, steps):
    outputs = []
    for _ in range(steps):
        x = cell(x)
        outputs.append(x)
    return torch.stack(outputs)


class Encoder(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        features = []
        for layer in self.layers:
            x = layer(x)
            features.append(x)
        return features


class Replay:
    def __init__(self):
        self.frames = []

    def push(self, frame):
        self.frames.append(frame)


def observations(steps):
    replay = Replay()
    for _ in range(steps):
        replay.push(torch.zeros(1, 84, 84))
    return replay


def gradients(net, batches):
    norms = []
    for x, y in batches:
        F.mse_loss(net(x), y).backward()
        norms.append(net.weight.grad.norm())
    return norms


class Stages(torch.nn.Module):
    """The layers of one network: its own skip connections."""

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
        return torch.cat(skips)


def chunks_of_one_batch(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        parts = []
        for chunk in torch.split(x, 4):
            parts.append(net(chunk))
        F.mse_loss(torch.cat(parts), y).backward()
        opt.step()


def parts_of_one_result(net, x, names):
    out = net(x)
    found = {}
    for i, name in enumerate(names):
        found[name] = out[i]
    print(found["a"].item())
