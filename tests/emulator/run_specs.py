"""Trains what each spec of a list describes for three steps, in PyTorch, and writes the memory it took.

usage: python run_specs.py SPECS.json RESULTS.json

Runs on whatever CUDA device it is given; scripts/check_emulator_truth gives it an emulated one. Every spec has a process
of its own, forked after PyTorch is imported, because an allocator's history is part of its figures. In each: model on
the device, optimizer, batch on the device, steps.
"""
import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint, checkpoint_sequential  # noqa: E402

STEPS = 3
DTYPES = {"float32": torch.float32, "int64": torch.int64}
LOSSES = {"cross_entropy": F.cross_entropy, "mse": F.mse_loss, "bce_with_logits": F.binary_cross_entropy_with_logits,
          "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss, "nll": F.nll_loss}
OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
              "adagrad": torch.optim.Adagrad, "rmsprop": torch.optim.RMSprop, "adamax": torch.optim.Adamax,
              "nadam": torch.optim.NAdam}
AUTOCAST = {"bf16-mixed": torch.bfloat16, "fp16-mixed": torch.float16}


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x + self.inner(x)


class FlattenTokens(nn.Module):
    """(batch, length, width) -> (batch * length, width)"""

    def forward(self, x):
        return x.reshape(-1, x.shape[-1])


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, dim, positions):
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Embedding(positions, dim)

    def forward(self, ids):
        return self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))


class Attention(nn.Module):
    """One projection to q, k, v; heads; scaled dot product fused ('sdpa') or written out; one projection back."""

    def __init__(self, dim, heads, causal, kind, bias):
        super().__init__()
        self.heads, self.causal, self.fused = heads, causal, kind == "sdpa"
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=bias)
        self.to_out = nn.Linear(dim, dim, bias=bias)

    def forward(self, x):
        # What is alive when decides the figures: the mask goes before the softmax, the scores stay to the end.
        batch, length, dim = x.shape
        q, k, v = self.to_qkv(x).split(dim, dim=2)
        q, k, v = (part.view(batch, length, self.heads, dim // self.heads).transpose(1, 2) for part in (q, k, v))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        else:
            scores = (q @ k.transpose(-2, -1)) * (dim // self.heads) ** -0.5
            if self.causal:
                scores = scores.masked_fill(
                    torch.ones(length, length, dtype=torch.bool, device=x.device).tril().logical_not(), float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
        return self.to_out(y.transpose(1, 2).reshape(batch, length, dim))


class Block(nn.Module):
    """A pre-norm transformer block."""

    def __init__(self, dim, heads, mlp, causal=True, kind="sdpa", dropout=0.0, norm="layer_norm", act="gelu", bias=True):
        super().__init__()
        make_norm = nn.LayerNorm if norm == "layer_norm" else nn.RMSNorm
        self.norm1, self.norm2 = make_norm(dim), make_norm(dim)
        self.attention = Attention(dim, heads, causal, kind, bias)
        self.up, self.down = nn.Linear(dim, mlp, bias=bias), nn.Linear(mlp, dim, bias=bias)
        self.act = {"gelu": nn.GELU, "silu": nn.SiLU, "relu": nn.ReLU}[act]()
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, x):
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.dropout(self.down(self.act(self.up(self.norm2(x)))))


def renamed(arguments, **names):
    """A spec's arguments by the names torch.nn gives them."""
    return {names.get(key, key): value for key, value in arguments.items()}


CHANNELS = {"in": "in_channels", "out": "out_channels", "kernel": "kernel_size"}

MAKERS = {
    "linear": lambda a: nn.Linear(a["in"], a["out"], bias=a.get("bias", True)),
    "conv2d": lambda a: nn.Conv2d(a["in"], a["out"], a["kernel"], stride=a.get("stride", 1),
                                  padding=a.get("padding", 0), dilation=a.get("dilation", 1),
                                  groups=a.get("groups", 1), bias=a.get("bias", True)),
    "relu": lambda a: nn.ReLU(inplace=a.get("inplace", False)),
    "gelu": lambda a: nn.GELU(),
    "leaky_relu": lambda a: nn.LeakyReLU(**a),
    "elu": lambda a: nn.ELU(**a),
    "selu": lambda a: nn.SELU(),
    "relu6": lambda a: nn.ReLU6(),
    "hardswish": lambda a: nn.Hardswish(),
    "mish": lambda a: nn.Mish(),
    "softplus": lambda a: nn.Softplus(**a),
    "softmax": lambda a: nn.Softmax(dim=-1),
    "log_softmax": lambda a: nn.LogSoftmax(dim=-1),
    "conv1d": lambda a: nn.Conv1d(**renamed(a, **CHANNELS)),
    "conv_transpose2d": lambda a: nn.ConvTranspose2d(**renamed(a, **CHANNELS)),
    "group_norm": lambda a: nn.GroupNorm(a["groups"], a["channels"]),
    "tanh": lambda a: nn.Tanh(),
    "sigmoid": lambda a: nn.Sigmoid(),
    "silu": lambda a: nn.SiLU(),
    "flatten": lambda a: nn.Flatten(),
    "flatten_tokens": lambda a: FlattenTokens(),
    "dropout": lambda a: nn.Dropout(a["p"]),
    "layer_norm": lambda a: nn.LayerNorm(a["dim"]),
    "rms_norm": lambda a: nn.RMSNorm(a["dim"]),
    "batch_norm1d": lambda a: nn.BatchNorm1d(a["channels"]),
    "batch_norm2d": lambda a: nn.BatchNorm2d(a["channels"]),
    "max_pool2d": lambda a: nn.MaxPool2d(**renamed(a, kernel="kernel_size")),
    "avg_pool2d": lambda a: nn.AvgPool2d(**renamed(a, kernel="kernel_size")),
    "adaptive_avg_pool2d": lambda a: nn.AdaptiveAvgPool2d(a["out"]),
    "embedding": lambda a: nn.Embedding(a["vocab"], a["dim"]),
    "token_embedding": lambda a: TokenEmbedding(**a),
    "transformer_block": lambda a: Block(**a),
    "residual": lambda a: Residual(nn.Sequential(*make_layers(a))),
}


def make_layers(entries):
    """The modules of a spec's list; a repeat stands for its layers, again and again."""
    modules = []
    for entry in entries:
        kind, arguments = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
        if kind == "repeat":
            for _ in range(arguments["times"]):
                modules += make_layers(arguments["layers"])
        else:
            modules.append(MAKERS[kind](arguments))
    return modules


def make_optimizer(spec, parameters):
    options = dict(spec)
    kind = OPTIMIZERS[options.pop("name")]
    implementation = options.pop("implementation", None)
    if implementation == "for-loop":
        options["foreach"] = False
    elif implementation is not None:
        options.update(foreach=implementation == "foreach", fused=implementation == "fused")
    return kind(parameters, lr=1e-3, **options)


def make_batch(spec, device):
    rows, wanted, target = spec["batch_size"], spec["input"], spec["target"]
    dtype = DTYPES[wanted["dtype"]]
    if spec["precision"] == "bf16" and dtype == torch.float32:
        dtype = torch.bfloat16
    x = torch.zeros((rows, *wanted["shape"]), device=device, dtype=dtype)
    y = torch.zeros((rows, *target["shape"]), device=device, dtype=DTYPES[target["dtype"]])
    return x, y.reshape(-1) if target["dtype"] == "int64" else y


def forward(spec, net, x):
    part = spec.get("checkpoint")
    if isinstance(part, dict):
        return checkpoint_sequential(net, part["segments"], x, use_reentrant=False)
    if part != "every_block":
        return net(x)
    for module in net:
        x = checkpoint(module, x, use_reentrant=False) if isinstance(module, Block) else module(x)
    return x


def train_step(spec, net, optimizer, scaler, x, y):
    micro_batches = spec.get("gradient_accumulation_steps", 1)
    autocast = AUTOCAST.get(spec["precision"])
    loss_name, loss_options = spec["loss"], {}
    if isinstance(loss_name, dict):
        loss_options = {key: value for key, value in loss_name.items() if key != "name"}
        loss_name = loss_name["name"]
    for _ in range(micro_batches):
        with torch.autocast("cuda", dtype=autocast, enabled=autocast is not None):
            loss = LOSSES[loss_name](forward(spec, net, x), y, **loss_options)
        if micro_batches > 1:
            loss = loss / micro_batches
        scaler.scale(loss).backward()
    if spec.get("clip_norm"):
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), spec["clip_norm"])
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)


def measure(spec):
    torch.manual_seed(0)
    net = nn.Sequential(*make_layers(spec["model"]))
    if spec["precision"] == "bf16":
        net = net.to(torch.bfloat16)
    net = net.to("cuda")
    optimizer = make_optimizer(spec["optimizer"], net.parameters())
    x, y = make_batch(spec, "cuda")
    scaler = torch.amp.GradScaler("cuda", enabled=spec["precision"] == "fp16-mixed")
    result = {"after_setup_allocated": torch.cuda.memory_allocated(),
              "parameters": sum(p.numel() for p in net.parameters()), "steps": []}
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        train_step(spec, net, optimizer, scaler, x, y)
        torch.cuda.synchronize()
        result["steps"].append({"peak_allocated": torch.cuda.max_memory_allocated(),
                                "peak_reserved": torch.cuda.max_memory_reserved(),
                                "end_allocated": torch.cuda.memory_allocated()})
    return result


def in_own_process(spec):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            text = json.dumps(measure(spec))
        except Exception as problem:  # whatever PyTorch raises is the result
            text = json.dumps({"error": f"{type(problem).__name__}: {problem}"})
        with os.fdopen(writer, "w") as out:
            out.write(text)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as result:
        text = result.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the process died"}


def main():
    with open(sys.argv[1], encoding="utf-8") as specs:
        results = [in_own_process(spec) for spec in json.load(specs)]
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump(results, out)


main()
