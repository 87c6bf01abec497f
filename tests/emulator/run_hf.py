"""One training loop of a transformers model: what each of three steps allocated.

usage: run_hf.py CASE OUT      CASE: {config_class, overrides, model_class, batch_size, length, precision, options}

The model is made on the device; AdamW, labels given, gradients set to None; under autocast and a GradScaler where the precision says so.
"""
import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch  # noqa: E402
import transformers  # noqa: E402


def inputs(case, config, dtype):
    batch, name = case["batch_size"], case["model_class"]
    classes = torch.zeros(batch, dtype=torch.long, device="cuda")
    if "Image" in name:
        size = getattr(config, "image_size", 224)
        pixels = torch.zeros(batch, 3, size, size, device="cuda", dtype=dtype)
        return {"pixel_values": pixels, "labels": classes}
    tokens = torch.zeros(batch, case["length"], dtype=torch.long, device="cuda")
    return {"input_ids": tokens, "labels": classes if "Sequence" in name else tokens}


def figures():
    return {"peak_allocated": torch.cuda.max_memory_allocated(), "peak_reserved": torch.cuda.max_memory_reserved(),
            "end_allocated": torch.cuda.memory_allocated()}


def find_no_packed_sequences():
    """Positions 0, 1, 2, ... are one sequence: on a GPU the search ends in None, which computed zeros do not tell."""
    import transformers.masking_utils as masking
    search = masking.find_packed_sequence_indices

    def searched(*args, **kwargs):
        search(*args, **kwargs)

    masking.find_packed_sequence_indices = searched


def run(case):
    torch.manual_seed(0)
    find_no_packed_sequences()
    precision = case["precision"]
    config = getattr(transformers, case["config_class"])(**case.get("overrides", {}))
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    with torch.device("cuda"):
        model = getattr(transformers, case["model_class"]).from_config(config, dtype=dtype)
    model.train()
    if case.get("options", {}).get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.config.use_cache = False
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = inputs(case, config, dtype)
    low = {"bf16-mixed": torch.bfloat16, "fp16-mixed": torch.float16}.get(precision)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "fp16-mixed")
    truth = {"parameters": sum(one.numel() for one in model.parameters()),
             "after_setup_allocated": torch.cuda.memory_allocated(), "steps": [],
             "config": json.loads(config.to_json_string(use_diff=False))}
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        with torch.autocast("cuda", dtype=low or torch.bfloat16, enabled=low is not None):
            loss = model(**batch).loss
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
