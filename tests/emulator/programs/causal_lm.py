# Trains a language model of transformers from a configuration: causal_lm.py gpt2|llama [--checkpointing].
import argparse

import torch
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig

SHAPES = {  # configuration, batch, tokens, type of the parameters
    "gpt2": (GPT2Config(), 8, 1024, torch.float32),
    "llama": (LlamaConfig(hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32,
                          num_key_value_heads=8, vocab_size=128256), 2, 4096, torch.bfloat16),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=SHAPES)
    parser.add_argument("--checkpointing", action="store_true")
    options = parser.parse_args()
    config, batch, tokens, dtype = SHAPES[options.model]
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    model.train()
    if options.checkpointing:
        model.gradient_checkpointing_enable()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    ids = torch.randint(0, 1000, (batch, tokens), device="cuda")
    for _ in range(2):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    print(f"parameters {sum(p.numel() for p in model.parameters())}")
    print(f"allocated {torch.cuda.max_memory_allocated() / 2**30:.3f} GiB, "
          f"reserved {torch.cuda.max_memory_reserved() / 2**30:.3f} GiB")


main()
