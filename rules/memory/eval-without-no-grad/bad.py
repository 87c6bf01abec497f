import torch
import torch.nn.functional as F


def validate(model, loader, device):
    model.eval()
    correct = 0
    for x, y in loader:
        out = model(x.to(device))  # expect: eval-without-no-grad
        correct += (out.argmax(1) == y.to(device)).sum().item()
    return correct


def collect(model, loader):
    model.eval()
    outputs = []
    for x in loader:
        outputs.append(model(x).detach())  # expect: eval-without-no-grad
    return torch.cat(outputs)


class Trainer:
    def __init__(self, model, opt):
        self.model = model
        self.opt = opt

    def train_epoch(self, loader):
        self.model.train()
        for x, y in loader:
            self.opt.zero_grad()
            F.cross_entropy(self.model(x), y).backward()
            self.opt.step()

    def evaluate(self, loader):
        self.model.eval()
        total = 0.0
        for x, y in loader:
            loss = F.cross_entropy(self.model(x), y)  # expect: eval-without-no-grad
            total += loss.item()
        return total

    def fit(self, train_loader, test_loader, epochs):
        for _ in range(epochs):
            self.train_epoch(train_loader)
            self.evaluate(test_loader)


def show_one(model, x):
    model.eval()
    out = model(x)  # expect: eval-without-no-grad
    print(out.argmax(1))
