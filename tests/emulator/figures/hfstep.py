"""Steps as transformers' Trainer takes them, on 2 x 16 tokens or two images, from a random configuration.

usage: hfstep.py --model gpt2|roberta|vit [--labels N]
prints {"max_allocated", "max_reserved"}
"""
import argparse
import json

import torch
import transformers

BATCH, TOKENS, STEPS = 2, 16, 7


def make(kind, labels):
    if kind == "gpt2":
        return transformers.AutoModelForCausalLM.from_config(transformers.GPT2Config())
    if kind == "vit":
        return transformers.AutoModelForImageClassification.from_config(transformers.ViTConfig(num_labels=labels))
    config = transformers.RobertaConfig(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1,
                                        layer_norm_eps=1e-5, num_labels=labels)
    return transformers.AutoModelForSequenceClassification.from_config(config)


def batch_of(kind):
    labels = torch.zeros(BATCH, dtype=torch.long)
    if kind == "vit":
        return {"pixel_values": torch.zeros(BATCH, 3, 224, 224), "labels": labels}
    tokens, mask = (torch.ones(BATCH, TOKENS, dtype=torch.long) for _ in range(2))
    return {"input_ids": tokens, "attention_mask": mask, "labels": tokens.clone() if kind == "gpt2" else labels}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=("gpt2", "roberta", "vit"), required=True)
    parser.add_argument("--labels", type=int, default=2)
    options = parser.parse_args()
    model = make(options.model, options.labels).to("cuda").train()
    # The two groups of weight decay.
    matrices, others = [[p for p in model.parameters() if (p.ndim > 1) == matrix] for matrix in (True, False)]
    groups = [{"params": matrices, "weight_decay": 0.0}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=5e-5)
    for _ in range(STEPS):
        batch = {name: value.to("cuda") for name, value in batch_of(options.model).items()}
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        model.zero_grad()
    print(json.dumps({"max_allocated": torch.cuda.max_memory_allocated(),
                      "max_reserved": torch.cuda.max_memory_reserved()}))


main()
