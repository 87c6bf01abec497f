"""Trains a small classifier on synthetic digits with mixed precision: train_mlp.py with its mistakes mended.

`forerun lint examples/train_mlp_fixed.py` finds nothing.
"""
import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

PIXELS, HIDDEN, CLASSES = 784, 256, 10


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(PIXELS, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, CLASSES)

    def forward(self, images):
        return self.fc2(torch.relu(self.fc1(images)))


def make_digits(n, centres):
    """One centre a class, and noise around it."""
    labels = torch.randint(CLASSES, (n,))
    return TensorDataset(centres[labels] + torch.randn(n, PIXELS), labels)


@torch.no_grad()
def accuracy(model, digits, device):
    model.eval()
    images, labels = digits.tensors
    predicted = model(images.to(device)).argmax(1).cpu()
    model.train()
    return predicted.eq(labels).float().mean().item()


def train(model, digits, device, epochs):
    loader = DataLoader(digits, batch_size=128, shuffle=True, drop_last=True,
                        pin_memory=device.type == "cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
    amp_dtype = torch.float16 if device.type == "cuda" else torch.bfloat16
    history = []
    for epoch in range(epochs):
        epoch_loss = torch.zeros((), device=device)
        for images, labels in loader:
            images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            optimizer.zero_grad()
            with torch.autocast(device_type=device.type, dtype=amp_dtype):
                loss = F.cross_entropy(model(images), labels)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            epoch_loss += loss.detach()  # stays on the device; read once an epoch
        history.append(epoch_loss.item() / len(loader))
        print(f"epoch {epoch}: mean loss {history[-1]:.4f}")
    print(f"first mean loss {history[0]:.4f}, last mean loss {history[-1]:.4f}")


def calibrate(model, digits, device, steps=20):
    """A few more steps on the output layer alone."""
    for parameter in model.fc1.parameters():
        parameter.requires_grad_(False)
    optimizer = torch.optim.SGD(model.fc2.parameters(), lr=1e-2)
    images, labels = (tensor.to(device) for tensor in digits.tensors)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()
    torch.manual_seed(31)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    centres = 0.15 * torch.randn(CLASSES, PIXELS)
    training, validation = make_digits(4096, centres), make_digits(1024, centres)
    model = Mlp().to(device)
    train(model, training, device, arguments.epochs)
    print(f"calibration loss {calibrate(model, validation, device):.4f}")
    print(f"validation accuracy {accuracy(model, validation, device):.3f}")


if __name__ == "__main__":
    main()
