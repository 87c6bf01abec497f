"""Writes the archives of the exported programs that are compared with their estimates.

usage: export_models.py FOLDER [NAME...]      needs torchvision and transformers for the names that are theirs
"""
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch import nn  # noqa: E402

BATCH = torch.export.Dim("batch", min=2)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.deep = nn.Conv2d(16, 32, 3, stride=2, padding="valid", bias=False)
        self.groups = nn.GroupNorm(4, 32)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm(self.conv(x))))
        x = nn.functional.silu(self.groups(self.deep(x)))
        x = nn.functional.adaptive_avg_pool2d(x, 1)
        return self.head(self.drop(torch.flatten(x, 1)))


class Attention(nn.Module):
    """A small decoder with its attention written as F.scaled_dot_product_attention."""

    def __init__(self, width=64, heads=4, layers=2, vocabulary=500, length=32):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.zeros(1, length, width))
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
            "norm2": nn.LayerNorm(width), "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width)}) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions
        batch, length, width = x.shape
        for layer in self.layers:
            q, k, v = layer["qkv"](layer["norm"](x)).chunk(3, dim=-1)
            q, k, v = (one.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for one in (q, k, v))
            seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + layer["out"](seen.transpose(1, 2).reshape(batch, length, width))
            x = x + layer["down"](nn.functional.gelu(layer["up"](layer["norm2"](x))))
        return self.head(self.norm(x))


class WithLoss(nn.Module):
    """Two inputs, and the loss as the only output; the first layer is frozen."""

    def __init__(self):
        super().__init__()
        self.frozen = nn.Linear(32, 64).requires_grad_(False)
        self.net = nn.Sequential(nn.LayerNorm(64), nn.Tanh(), nn.Linear(64, 10))

    def forward(self, x, labels):
        return nn.functional.cross_entropy(self.net(self.frozen(x)), labels)


def mlp():
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 10)), (torch.zeros(4, 784),)


def transformers_gpt2():
    import transformers
    from run_hf import find_no_packed_sequences
    find_no_packed_sequences()
    config = transformers.GPT2Config(n_layer=2, n_embd=128, n_head=4, vocab_size=1000, use_cache=False)

    class Logits(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.GPT2LMHeadModel(config)

        def forward(self, ids):
            return self.model(ids).logits

    return Logits(), (torch.zeros(4, 64, dtype=torch.long),)


def vision(name, size=224):
    def make():
        import torchvision
        return torchvision.models.get_model(name, weights=None), (torch.zeros(4, 3, size, size),)
    return make


MODELS = {
    "mlp": mlp,
    "mlp-bf16": lambda: (nn.Sequential(nn.Linear(784, 256), nn.GELU(), nn.Linear(256, 10)).bfloat16(),
                         (torch.zeros(4, 784, dtype=torch.bfloat16),)),
    "convolutions": lambda: (Convolutions(), (torch.zeros(4, 3, 32, 32),)),
    "attention": lambda: (Attention(), (torch.zeros(4, 32, dtype=torch.long),)),
    "with-loss": lambda: (WithLoss(), (torch.zeros(4, 32), torch.zeros(4, dtype=torch.long))),
    "gpt2": transformers_gpt2,
    "resnet18": vision("resnet18"),
    "vit_b_16": vision("vit_b_16"),
    "mobilenet_v2": vision("mobilenet_v2"),
    "vgg11": vision("vgg11"),
    "convnext_tiny": vision("convnext_tiny"),
    "efficientnet_b0": vision("efficientnet_b0"),
}


def export(name, folder):
    model, inputs = MODELS[name]()
    shapes = tuple({0: BATCH} for _ in inputs)
    program = torch.export.export(model.train(), inputs, dynamic_shapes=shapes)
    torch.export.save(program, folder / f"{name}.pt2")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        if not (folder / f"{name}.pt2").exists():
            export(name, folder)


if __name__ == "__main__":
    main()
