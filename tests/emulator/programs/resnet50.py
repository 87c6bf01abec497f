# Trains torchvision's ResNet-50 on random images: resnet50.py fp32|channels_last|amp.
import sys

import torch
import torchvision


def main(mode):
    model = torchvision.models.resnet50(weights=None).cuda().train()
    layout = torch.contiguous_format if mode == "fp32" else torch.channels_last
    model = model.to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    scaler = torch.amp.GradScaler("cuda", enabled=mode == "amp")
    criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.1).cuda()
    torch.backends.cudnn.benchmark = True
    for _ in range(3):
        images = torch.randn(32, 3, 224, 224).cuda(non_blocking=True).to(memory_format=layout)
        target = torch.randint(0, 1000, (32,)).cuda(non_blocking=True)
        with torch.autocast("cuda", torch.float16, enabled=mode == "amp"):
            output = model(images)
            loss = criterion(output, target)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        correct = output.argmax(1).eq(target).sum().item()
    model.eval()
    with torch.inference_mode():
        model(images)
    print(f"loss {loss.item():.4f}, correct {correct} of {len(target)}")
    print(f"allocated {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB, "
          f"reserved {torch.cuda.max_memory_reserved() / 2**20:.1f} MiB")


main(sys.argv[1])
