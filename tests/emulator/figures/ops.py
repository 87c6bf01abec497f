"""One operator as kernel benchmarks measure it: inputs, ten steps, the median of the peaks of each.

usage: ops.py CASE CONFIG STEP

CONFIG: JSON with the sizes (N rows, V classes, H features, I of the gate, B x T tokens, ...), "dtype", "extra" (idle modules
the benchmark also built), "after" (a step that ran before in the same process, with "first" over the sizes).
STEP: forward, backward (of one forward pass), or both in a step, by what the gradient is: see STEPS.
prints {"median": BYTES}
"""
import json
import statistics
import sys

import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_device("cuda")


class HalfNorm(nn.Module):
    """Llama's RMSNorm: in float32, scaled by the weight after the cast back. With a residual, it adds and returns that too."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, hidden, residual=None):
        kind = hidden.dtype
        hidden = hidden.to(torch.float32)
        if residual is not None:
            residual = residual.to(torch.float32)
            hidden = hidden + residual
            residual = hidden
        variance = hidden.pow(2).mean(-1, keepdim=True)
        hidden = hidden * torch.rsqrt(variance + 1e-6)
        scaled = self.weight * hidden.to(kind)
        return scaled if residual is None else (scaled, residual.to(kind))


class Gated(nn.Module):
    def __init__(self, features, inner, activation, dtype):
        super().__init__()
        self.gate, self.up = (nn.Linear(features, inner, bias=False, dtype=dtype) for _ in range(2))
        self.down = nn.Linear(inner, features, bias=False, dtype=dtype)
        self.activation = activation

    def forward(self, x):
        return self.down(self.activation(self.gate(x)) * self.up(x))


def leaf(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


def classes(rows, count):
    return torch.randint(count, (rows, 1)).squeeze(1)


def divergence(student, teacher, dtype=torch.float32):
    """Jensen-Shannon, from log probabilities."""
    against = nn.KLDivLoss(reduction="none", log_target=True)
    teacher, student = teacher.to(torch.float), student.to(torch.float)
    teacher, student = teacher.view(-1, teacher.size(-1)), student.view(-1, student.size(-1))
    mean = torch.lerp(torch.exp(student), torch.exp(teacher), 0.5)
    loss = 0.5 * against(torch.log(mean), teacher).sum(dim=-1) + 0.5 * against(torch.log(mean), student).sum(dim=-1)
    return (loss / student.shape[0]).sum().to(dtype)


# Each returns (forward, the input gradients are for, whatever else must stay alive).

def cross_entropy(c, dtype):
    logits, target, loss = leaf(c["N"], c["V"], dtype=dtype), classes(c["N"], c["V"]), nn.CrossEntropyLoss()
    return lambda: loss(logits, target), logits, None


def linear_ce(c, dtype):
    heads = [nn.Linear(c["H"], c["V"], bias=False, dtype=dtype) for _ in range(1 + c.get("extra", 0))]
    x, target, loss = leaf(c["N"], c["H"], dtype=dtype), classes(c["N"], c["V"]), nn.CrossEntropyLoss()
    return lambda: loss(heads[0](x), target), x, heads


def linear_jsd(c, dtype):
    heads = [nn.Linear(c["H"], c["V"], bias=False, dtype=dtype) for _ in range(2)]
    student = torch.rand(c["N"], c["H"], dtype=dtype, requires_grad=True)
    teacher = torch.rand(c["N"], c["H"], dtype=dtype)

    def loss_of(first, second):
        logs = torch.log_softmax(first / 1.0, dim=-1), torch.log_softmax(second / 1.0, dim=-1)
        return divergence(*logs, dtype)

    def forward():
        first, second = heads[0](student), heads[1](teacher)
        return loss_of(first, second)
    return forward, student, heads


def kl_div(c, _):
    student, teacher = leaf(c["N"], c["V"]).log_softmax(dim=-1), torch.randn(c["N"], c["V"]).softmax(dim=-1)
    loss = nn.KLDivLoss(reduction="batchmean")
    return lambda: loss(student, teacher), student, None


def jsd(c, _):
    student, teacher = leaf(c["N"], c["V"]).log_softmax(dim=-1), torch.randn(c["N"], c["V"]).log_softmax(dim=-1)
    return lambda: divergence(student, teacher), student, None


def tvd(c, _):
    student, teacher = leaf(c["N"], c["V"]).softmax(dim=-1), torch.randn(c["N"], c["V"]).softmax(dim=-1)
    return lambda: torch.sum(torch.abs(student - teacher) / 2.0) / student.size(0), student, None


def normalised(make, shape):
    def build(c, dtype):
        modules = [make(c, dtype).cuda() for _ in range(1 + c.get("extra", 0))]
        x = leaf(*(c[axis] for axis in shape), dtype=dtype)
        return lambda: modules[0](x), x, modules
    return build


def add_rms_norm(c, dtype):
    modules = [HalfNorm(c["H"]) for _ in range(1 + c.get("extra", 0))]
    x = leaf(c["N"], c["H"], dtype=dtype)
    residual = leaf(c["N"], c["H"], dtype=dtype)
    return lambda: modules[0](x, residual), x, (modules, residual)


def gated(activation):
    def build(c, dtype):
        x, module = leaf(c["B"], c["T"], c["H"], dtype=dtype), Gated(c["H"], c["I"], activation, dtype)
        return lambda: module(x), x, module
    return build


def chunk_swiglu(c, dtype):
    x = leaf(c["S"], c["B"], 2 * c["I"], dtype=dtype)

    def forward():
        gate, up = torch.chunk(x, 2, -1)
        return F.silu(gate) * up
    return forward, x, None


def embedding(c, dtype):
    tables = [nn.Embedding(c["V"], c["D"], dtype=dtype) for _ in range(1 + c.get("extra", 0))]
    tokens = torch.randint(0, c["V"], (c["B"], c["T"]))
    return lambda: tables[0](tokens), None, tables


def rope(c, dtype):
    width, tokens = c["H"] // c["Q"], c["T"]
    powers = torch.arange(0, width, 2, dtype=torch.int64, device="cpu").float() / width
    inverse = (1.0 / 1e4 ** powers).cuda()
    queries, keys = (leaf(1, tokens, c[heads], width, dtype=dtype).transpose(1, 2) for heads in ("Q", "K"))
    gradients = torch.randn_like(queries), torch.randn_like(keys)
    positions = torch.arange(tokens).unsqueeze(0)
    angles = (inverse[None, :, None].float().expand(1, -1, 1) @ positions[:, None, :].float()).transpose(1, 2)
    angles = torch.cat((angles, angles), dim=-1)
    cosine, sine = angles.cos().to(dtype), angles.sin().to(dtype)
    del angles

    def turned(x):  # the first half is taken first: that decides the order of their backward nodes, and so the peak
        first = x[..., :x.shape[-1] // 2]
        second = x[..., x.shape[-1] // 2:]
        return torch.cat((-second, first), dim=-1)

    def forward():
        cos, sin = cosine.unsqueeze(1), sine.unsqueeze(1)
        return (queries * cos) + (turned(queries) * sin), (keys * cos) + (turned(keys) * sin)
    return forward, (queries, keys, gradients), (inverse, positions)


CASES = {
    "cross_entropy": cross_entropy, "linear_ce": linear_ce, "linear_jsd": linear_jsd, "kl_div": kl_div, "jsd": jsd,
    "tvd": tvd, "add_rms_norm": add_rms_norm, "chunk_swiglu": chunk_swiglu, "embedding": embedding, "rope": rope,
    "layer_norm": normalised(lambda c, _: nn.LayerNorm(c["H"], eps=1e-6), "NH"),
    "group_norm": normalised(lambda c, _: nn.GroupNorm(c["C"] // 4, c["C"], eps=1e-6), "MCH"),
    "rms_norm": normalised(lambda c, _: HalfNorm(c["H"]), "NH"),
    "torch_rms_norm": normalised(lambda c, dtype: nn.RMSNorm(c["H"], eps=1e-6).to(dtype), "SBH"),
    "geglu": gated(lambda x: F.gelu(x, approximate="tanh")), "swiglu": gated(F.silu),
}


def backward_only(forward, x):
    output = forward()
    gradient = torch.randn_like(output)
    return lambda: output.backward(gradient, retain_graph=True)


def made_once(forward, x):
    gradient = torch.randn_like(x)

    def step():
        output = forward()
        output.backward(gradient, retain_graph=True)
    return step


def pair(forward, x):
    gradients = torch.randn_like(x), torch.randn_like(x)

    def step():
        output, residual = forward()
        torch.autograd.backward((output, residual), gradients)
    return step


def drawn(keep):
    def of(forward, x):
        def step():
            output = forward()
            output.backward(torch.randn_like(output), retain_graph=keep)
        return step
    return of


def scalar(keep):
    def of(forward, x):
        def step():
            output = forward()
            output.backward(retain_graph=keep)
        return step
    return of


def summed(clear):
    def of(forward, x):
        def step():
            if clear:
                x.grad = None
            output = forward()
            output.sum().backward()
        return step
    return of


def by_grad(forward, x):
    queries, keys, gradients = x

    def step():
        outputs = forward()
        torch.autograd.grad(outputs, (queries, keys), gradients, allow_unused=True, retain_graph=True)
    return step


def forward_only(forward, x):
    def step():
        forward()
    return step


STEPS = {
    "forward": forward_only, "backward": backward_only, "plain": scalar(False), "retain": scalar(True), "rand": drawn(True),
    "randfree": drawn(False), "dy": made_once, "pair": pair, "sum": summed(False), "sumnone": summed(True), "grad": by_grad,
}


def build(case, config):
    dtype = getattr(torch, config.get("dtype", "float32"))
    return CASES[case](config, dtype)


def run_before(case, config):
    """What ran earlier in the process leaves the workspaces of both threads, and cached blocks."""
    forward, x, kept = build(case, {**config, **config.get("first", {})})
    step = STEPS[config["after"]](forward, x)
    step()
    step()


def main():
    case, config, kind = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
    if config.get("after"):
        run_before(case, config)
    forward, x, kept = build(case, config)
    step, peaks = STEPS[kind](forward, x), []
    for _ in range(10):
        torch.cuda.reset_peak_memory_stats()
        step()
        peaks.append(torch.cuda.max_memory_allocated())
    print(json.dumps({"median": statistics.median(peaks)}))


main()
