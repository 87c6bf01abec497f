"""ViT-L/16 fine-tuned on ten classes, then evaluated; the reserved peak.

usage: vit.py [--batch N] [--micro N] [--precision 32|16-mixed|bf16-true] [--opt adam|adam20|sgd] [--sdp BACKEND]
              [--fabric 1]

--micro splits a batch and accumulates, --fabric converts outputs to float32 as Lightning Fabric does, adam20 is the
multi-tensor Adam of PyTorch 2.0, --sdp leaves attention one backend.
prints {"reserved"}
"""
import argparse
import contextlib
import json

import torch
import torchvision


class Adam20(torch.optim.Optimizer):
    """As until July 2023: the square root and the denominator are two temporaries of the size of the parameters."""

    def __init__(self, parameters):
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self):
        parameters = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        gradients = [p.grad for p in parameters]
        for p in parameters:
            if not self.state[p]:
                self.state[p].update(step=torch.tensor(0.0), mean=torch.zeros_like(p), square=torch.zeros_like(p))
        means, squares = ([self.state[p][name] for p in parameters] for name in ("mean", "square"))
        torch._foreach_mul_(means, 0.9)
        torch._foreach_add_(means, gradients, alpha=0.1)
        torch._foreach_mul_(squares, 0.999)
        torch._foreach_addcmul_(squares, gradients, gradients, 0.001)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_div_(roots, 1.0)
        denominators = torch._foreach_add(roots, 1e-8)
        torch._foreach_addcdiv_(parameters, means, denominators, value=-5e-5)


OPTIMIZERS = {"adam": lambda p: torch.optim.Adam(p, lr=5e-5), "adam20": Adam20, "sgd": lambda p: torch.optim.SGD(p, lr=0.01)}


def batch_of(count, dtype):
    images, labels = torch.zeros(count, 3, 224, 224), torch.zeros(count, dtype=torch.long)
    images = images.to("cuda")
    labels = labels.to("cuda")
    return (images if dtype is None else images.to(dtype)), labels


def train(model, options, dtype, autocast):
    optimizer = OPTIMIZERS[options.opt](model.parameters())
    scaler = torch.amp.GradScaler("cuda") if options.precision == "16-mixed" else None
    for i in range(4 * options.micro):
        model.train()
        images, labels = batch_of(options.batch // options.micro, dtype)
        with autocast():
            logits = model(images)
        if options.fabric:
            logits = logits.float()
        loss = torch.nn.functional.cross_entropy(logits, labels) / options.micro
        if options.micro == 1:
            optimizer.zero_grad()
        (scaler.scale(loss) if scaler else loss).backward()
        if (i + 1) % options.micro == 0:
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            if options.micro > 1:
                optimizer.zero_grad()
        with torch.no_grad():
            _ = torch.argmax(logits, 1)
    # What the loop's names still hold is alive while it is evaluated.
    evaluate(model, options, dtype, autocast)


def evaluate(model, options, dtype, autocast):
    model.eval()
    with torch.no_grad():
        for count in (options.batch // options.micro, options.batch // options.micro, 8):
            images, _ = batch_of(count, dtype)
            with autocast():
                logits = model(images)
            torch.argmax(logits, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--micro", type=int, default=1)
    parser.add_argument("--precision", default="32")
    parser.add_argument("--opt", choices=OPTIMIZERS, default="adam")
    parser.add_argument("--sdp", default="")
    parser.add_argument("--fabric", type=int, default=0)
    options = parser.parse_args()
    if options.sdp:
        for backend in ("flash", "mem_efficient", "math", "cudnn"):
            getattr(torch.backends.cuda, f"enable_{backend}_sdp")(backend == options.sdp)
    model = torchvision.models.vit_l_16(weights=None)
    model.heads.head = torch.nn.Linear(model.heads.head.in_features, 10)
    dtype = torch.bfloat16 if options.precision == "bf16-true" else None
    model = model.to(device="cuda", dtype=None) if dtype is None else model.to(dtype).to("cuda")
    mixed = options.precision == "16-mixed"
    train(model, options, dtype, lambda: torch.autocast("cuda", torch.float16) if mixed else contextlib.nullcontext())
    print(json.dumps({"reserved": torch.cuda.max_memory_reserved()}))


main()
