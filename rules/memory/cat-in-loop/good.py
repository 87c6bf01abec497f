import torch
import torch.nn.functional as F


@torch.no_grad()
def collected(net, batches):
    parts = []
    for x in batches:
        parts.append(net(x))
    return torch.cat(parts)


@torch.no_grad()
def generate(model, tokens, count):
    for _ in range(count):
        logits = model(tokens)
        following = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, following], dim=1)
    return tokens


def the_last_frames(frames):
    stack = torch.zeros(4, 84, 84)
    for frame in frames:
        stack = torch.cat([stack[1:], frame.unsqueeze(0)])
    return stack


def a_few_parts(pyramid):
    out = pyramid[0]
    for level in range(3):
        out = torch.cat([out, pyramid[level]], dim=1)
    return out
