# Makes image models on the device (torchvision's ViT, timm's by name), trains each for two steps: vision.py NAME...
import gc
import sys

import torch


def make(name):
    with torch.device("cuda"):
        if name.startswith("torchvision."):
            import torchvision
            return torchvision.models.get_model(name.removeprefix("torchvision."), weights=None)
        import timm
        return timm.create_model(name, pretrained=False, num_classes=100)


def train(name):
    model = make(name).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    images = torch.randn(8, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 100, (8,), device="cuda")
    for _ in range(2):
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters, "
          f"allocated {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB")


for each in sys.argv[1:]:
    torch.cuda.reset_peak_memory_stats()
    train(each)
    gc.collect()
    torch.cuda.empty_cache()
print(f"left {torch.cuda.memory_allocated()} B")
