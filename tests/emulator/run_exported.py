"""One training loop of an exported program: what each of three steps allocated.

usage: run_exported.py CASE OUT      CASE: {archive, spec: {target, loss, batch_size, precision, optimizer, input}}

The archive is loaded, moved to the device, and its module trained: AdamW or SGD, gradients set to None; under autocast and a GradScaler where
the precision says so. What the program returns is its loss where that is a single number; else the spec's loss of it and the target.
"""
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import training  # noqa: E402
from torch.export.passes import move_to_device_pass  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}
LOSSES = {"cross_entropy": functional.cross_entropy, "mse": functional.mse_loss, "bce_with_logits": functional.binary_cross_entropy_with_logits}


def load(archive):
    program = move_to_device_pass(torch.export.load(archive), "cuda")
    return program.module(), list(program.graph_signature.user_inputs), {
        node.name: node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"}


def make_batch(spec, names, described):
    """Zeros in the shapes of the archive; what it left open is the batch's, then those of the spec's input."""
    sizes = [spec["batch_size"], *spec.get("input", {}).get("shape", [])]
    known = {str(dim): size for dim, size in zip(described[names[0]].shape, sizes)}
    return [torch.zeros([dim if isinstance(dim, int) else known[str(dim)] for dim in described[name].shape], device="cuda",
                        dtype=described[name].dtype) for name in names]


def make_optimizer(spec, parameters):
    asked = spec["optimizer"]
    asked = dict(asked) if isinstance(asked, dict) else {"name": asked}
    return OPTIMIZERS[asked.pop("name")](parameters, **{"lr": 1e-4, **asked})


def run(case):
    torch.manual_seed(0)
    spec = case["spec"]
    model, names, described = load(case["archive"])
    optimizer = make_optimizer(spec, model.parameters())
    inputs = make_batch(spec, names, described)
    loss_name = spec.get("loss", "cross_entropy")
    target = None
    if "target" in spec:
        dtype = torch.long if loss_name == "cross_entropy" else torch.float32
        target = torch.zeros(spec["batch_size"], *spec["target"]["shape"], device="cuda", dtype=dtype)

    def prediction():
        return pytree.tree_leaves(model(*inputs))[0]

    def loss_of():
        if target is None:
            return prediction()
        if loss_name == "cross_entropy" and target.dim() == 2:
            return LOSSES[loss_name](prediction().flatten(0, 1), target.flatten())
        return LOSSES[loss_name](prediction(), target)

    return training.three_steps(model, optimizer, loss_of, spec["precision"])


if __name__ == "__main__":
    training.main(run)
