"""One training loop of a transformers model: what each of three steps allocated.

usage: run_hf.py CASE OUT      CASE: {config_class, overrides, model_class, batch_size, length, precision, options}

The model is made on the device; AdamW, labels given, gradients set to None; under autocast and a GradScaler where the precision says so.
"""
import json
import os
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch  # noqa: E402
import training  # noqa: E402
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
    dtype = training.parameter_dtype(precision)
    with torch.device("cuda"):
        model = getattr(transformers, case["model_class"]).from_config(config, dtype=dtype)
    model.train()
    if case.get("options", {}).get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.config.use_cache = False
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = inputs(case, config, dtype)
    truth = training.three_steps(model, optimizer, lambda: model(**batch).loss, precision)
    return {**truth, "config": json.loads(config.to_json_string(use_diff=False))}


if __name__ == "__main__":
    training.main(run)
