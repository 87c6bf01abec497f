"""ResNet-101 steps with AdamW, bf16 autocast and channels last. usage: resnet.py [...]; prints {"model", "peak"}.

The published script is only partly visible: what it does besides is assumed, and its flags here change nothing.
"""
import json

import torch
import torchvision

model = torchvision.models.resnet101(weights=None).to("cuda").to(memory_format=torch.channels_last)
after_model = torch.cuda.memory_allocated()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2, foreach=True)
images, labels = torch.zeros(16, 3, 224, 224, device="cuda"), torch.zeros(16, dtype=torch.long, device="cuda")
for step in range(4):
    if step == 3:
        torch.cuda.reset_peak_memory_stats()
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
print(json.dumps({"model": after_model, "peak": torch.cuda.max_memory_allocated()}))
