"""The training loop that the truth programs share: what each of three steps allocated."""
import json
import sys

import torch

LOW = {"bf16-mixed": torch.bfloat16, "fp16-mixed": torch.float16}


def parameter_dtype(precision):
    return torch.bfloat16 if precision == "bf16" else torch.float32


def figures():
    return {"peak_allocated": torch.cuda.max_memory_allocated(), "peak_reserved": torch.cuda.max_memory_reserved(),
            "end_allocated": torch.cuda.memory_allocated()}


def three_steps(model, optimizer, loss_of, precision):
    """loss_of() runs the forward; under autocast and a GradScaler where the precision says so, gradients set to None."""
    low = LOW.get(precision)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "fp16-mixed")
    truth = {"parameters": sum(one.numel() for one in model.parameters()),
             "after_setup_allocated": torch.cuda.memory_allocated(), "steps": []}
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        with torch.autocast("cuda", dtype=low or torch.bfloat16, enabled=low is not None):
            loss = loss_of()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        del loss
        torch.cuda.synchronize()
        truth["steps"].append(figures())
    return truth


def main(run):
    """CASE OUT: the case is read, run, and its truth written."""
    with open(sys.argv[1]) as text:
        made = run(json.load(text))
    with open(sys.argv[2], "w") as out:
        json.dump(made, out)
