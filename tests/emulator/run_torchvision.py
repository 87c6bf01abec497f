"""One training loop of a torchvision model: what each of three steps allocated.

usage: run_torchvision.py CASE OUT      CASE: {spec: {model: {torchvision: NAME}, input, batch_size, precision, optimizer}}

The model is made on the device in fp32 and converted where the precision is bf16; AdamW or SGD, cross entropy, gradients set to None; under
autocast and a GradScaler where the precision says so.
"""
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import torchvision  # noqa: E402
import training  # noqa: E402
from torch.nn.functional import cross_entropy  # noqa: E402

OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


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
    dtype = training.parameter_dtype(precision)
    model = make_model(spec, dtype)
    optimizer = make_optimizer(spec, model)
    images = torch.zeros(spec["batch_size"], *spec["input"]["shape"], device="cuda", dtype=dtype)
    labels = torch.zeros(spec["batch_size"], dtype=torch.long, device="cuda")
    return training.three_steps(model, optimizer, lambda: cross_entropy(model(images), labels), precision)


if __name__ == "__main__":
    training.main(run)
