"""GPT-2 small trained from scratch on 8 x 1024 tokens, one published speed-up after another; bytes after an epoch.

usage: gpt.py [--fly] [--fused] [--bf16] [--native] [--sdpa]

--fly makes the causal mask in every step, --native takes PyTorch's LayerNorm and GELU, --sdpa its attention.
prints {"reserved", "allocated_now"}
"""
import argparse
import json

import torch
import torch.nn.functional as F
from torch import nn

FEATURES, HEADS, BLOCKS, TOKENS, VOCABULARY, BATCH, DROPOUT = 768, 12, 12, 1024, 50257, 8, 0.1
STEPS, EVALUATE_EVERY, GENERATED = 20, 15, 50


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(FEATURES)), nn.Parameter(torch.zeros(FEATURES))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        normed = (x - mean) / torch.sqrt(variance + 1e-5)
        return self.scale * normed + self.shift


class Gelu(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))))


class Attention(nn.Module):
    def __init__(self, mask_on_the_fly):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(FEATURES, FEATURES, bias=False) for _ in range(3))
        self.output, self.dropout = nn.Linear(FEATURES, FEATURES), nn.Dropout(DROPOUT)
        self.mask_on_the_fly = mask_on_the_fly
        if not mask_on_the_fly:
            self.register_buffer("mask", torch.triu(torch.ones(TOKENS, TOKENS), diagonal=1))

    def future(self, tokens, device):
        if self.mask_on_the_fly:
            return torch.triu(torch.ones(tokens, tokens, device=device), diagonal=1).bool()
        return self.mask.bool()[:tokens, :tokens]

    def forward(self, x):
        batch, tokens, _ = x.shape
        key, query, value = self.key(x), self.query(x), self.value(x)
        key, value, query = (part.view(batch, tokens, HEADS, FEATURES // HEADS) for part in (key, value, query))
        key, query, value = key.transpose(1, 2), query.transpose(1, 2), value.transpose(1, 2)
        scores = query @ key.transpose(2, 3)
        future = self.future(tokens, x.device)
        scores.masked_fill_(future, -torch.inf)
        weights = torch.softmax(scores / key.shape[-1] ** 0.5, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ value).transpose(1, 2)
        context = context.reshape(batch, tokens, FEATURES)
        context = self.output(context)
        return context


class FusedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts, self.output = nn.Linear(FEATURES, 3 * FEATURES, bias=False), nn.Linear(FEATURES, FEATURES)

    def forward(self, x):
        batch, tokens, _ = x.shape
        query, key, value = self.parts(x).view(batch, tokens, 3, HEADS, FEATURES // HEADS).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=DROPOUT if self.training else 0.0,
                                                 is_causal=True)
        return self.output(context.transpose(1, 2).contiguous().view(batch, tokens, FEATURES))


class Block(nn.Module):
    def __init__(self, options):
        super().__init__()
        def norm():
            return nn.LayerNorm(FEATURES) if options.native else Norm()
        self.attention = FusedAttention() if options.sdpa else Attention(options.fly)
        activation = nn.GELU(approximate="tanh") if options.native else Gelu()
        self.mlp = nn.Sequential(nn.Linear(FEATURES, 4 * FEATURES), activation, nn.Linear(4 * FEATURES, FEATURES))
        self.before_attention, self.before_mlp, self.dropout = norm(), norm(), nn.Dropout(DROPOUT)

    def forward(self, x):
        shortcut = x
        x = self.before_attention(x)
        x = self.attention(x)
        x = self.dropout(x)
        x = x + shortcut
        shortcut = x
        x = self.before_mlp(x)
        x = self.mlp(x)
        x = self.dropout(x)
        x = x + shortcut
        return x


class Gpt(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, FEATURES), nn.Embedding(TOKENS, FEATURES)
        self.dropout = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*[Block(options) for _ in range(BLOCKS)])
        self.norm = nn.LayerNorm(FEATURES) if options.native else Norm()
        self.head = nn.Linear(FEATURES, VOCABULARY, bias=False)

    def forward(self, ids):
        tokens = self.tokens(ids)
        positions = self.positions(torch.arange(ids.shape[1], device=ids.device))
        x = tokens + positions
        x = self.dropout(x)
        x = self.blocks(x)
        x = self.norm(x)
        logits = self.head(x)
        return logits


def loss_of(model):
    inputs, targets = torch.zeros(BATCH, TOKENS, dtype=torch.long), torch.zeros(BATCH, TOKENS, dtype=torch.long)
    inputs, targets = inputs.cuda(), targets.cuda()
    logits = model(inputs)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    return loss


def generate(model):
    model.eval()
    ids = torch.zeros(1, 4, dtype=torch.long, device="cuda")
    for _ in range(GENERATED):
        with torch.no_grad():
            logits = model(ids[:, -TOKENS:])
        logits = logits[:, -1, :]
        best = torch.argmax(logits, dim=-1, keepdim=True)
        ids = torch.cat((ids, best), dim=1)


def main():
    parser = argparse.ArgumentParser()
    for name in ("bf16", "fused", "native", "sdpa", "fly"):
        parser.add_argument("--" + name, action="store_true")
    options = parser.parse_args()
    model = Gpt(options)
    model.to("cuda")
    if options.bf16:
        model.to(torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.1, fused=options.fused or None)
    model.train()
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        if step % EVALUATE_EVERY == 0:
            model.eval()
            with torch.no_grad():
                loss_of(model).item()
                loss_of(model).item()
            model.train()
    generate(model)
    print(json.dumps({"reserved": torch.cuda.memory_reserved(), "allocated_now": torch.cuda.memory_allocated()}))


main()
