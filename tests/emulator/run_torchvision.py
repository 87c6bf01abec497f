"""One training loop of a torchvision model: what each of three steps allocated.

usage: run_torchvision.py CASE OUT      CASE: {spec: {model: {torchvision: NAME}, input, batch_size, precision, optimizer}}

The model is made on the device in fp32 and converted where the precision is bf16; AdamW or SGD, cross entropy, gradients set to None; under
autocast and a GradScaler where the precision says so.
"""
import json
import sys
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import torchvision  # noqa: E402
from torch.nn.functional import cross_entropy  # noqa: E402

OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def figures():
    return {"peak_allocated": torch.cuda.max_memory_allocated(), "peak_reserved": torch.cuda.max_memory_reserved(),
            "end_allocated": torch.cuda.memory_allocated()}


def make_model(spec, dtype):
    name, size = spec["model"]["torchvision"], spec["input"]["shape"][-1]
    arguments = {"image_size": size} if name.startswith("vit_") else {}
    with torch.device("cuda"):
        model = torchvision.models.get_model(name, weights=None, **arguments)
    return model.to(dtype).train()


def make_optimizer(spec, model):
    asked = spec["optimizer"]
    asked = dict(asked) if isinstance(asked, dict) else {"name": asked}
    return OPTIMIZERS[asked.pop("name")](model.parameters(), **{"lr": 1e-4, **asked})


def run(case):
    torch.manual_seed(0)
    spec, precision = case["spec"], case["spec"]["precision"]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    model = make_model(spec, dtype)
    optimizer = make_optimizer(spec, model)
    images = torch.zeros(spec["batch_size"], *spec["input"]["shape"], device="cuda", dtype=dtype)
    labels = torch.zeros(spec["batch_size"], dtype=torch.long, device="cuda")
    low = {"bf16-mixed": torch.bfloat16, "fp16-mixed": torch.float16}.get(precision)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "fp16-mixed")
    truth = {"parameters": sum(one.numel() for one in model.parameters()),
             "after_setup_allocated": torch.cuda.memory_allocated(), "steps": []}
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        with torch.autocast("cuda", dtype=low or torch.bfloat16, enabled=low is not None):
            loss = cross_entropy(model(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        del loss
        torch.cuda.synchronize()
        truth["steps"].append(figures())
    return truth


if __name__ == "__main__":
    with open(sys.argv[1]) as text:
        made = run(json.load(text))
    with open(sys.argv[2], "w") as out:
        json.dump(made, out)
