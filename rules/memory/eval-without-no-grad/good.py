import torch
import torch.nn.functional as F
from somewhere import pgd_attack


def with_no_grad(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
    return correct


@torch.inference_mode()
def decorated(model, loader):
    model.eval()
    return [model(x) for x in loader]


def called_under_no_grad(model, loader):
    model.eval()
    return sum(model(x).sum().item() for x in loader)


def caller(model, loader):
    with torch.no_grad():
        return called_under_no_grad(model, loader)


def phases(model, loaders, opt):
    for phase in ("train", "val"):
        model.train(phase == "train")
        for x, y in loaders[phase]:
            with torch.set_grad_enabled(phase == "train"):
                loss = F.cross_entropy(model(x), y)
            if phase == "train":
                opt.zero_grad()
                loss.backward()
                opt.step()


def frozen_batch_norm(model, loader, opt):
    model.eval()
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()


def saliency(model, images):
    model.eval()
    maps = []
    for image in images:
        image.requires_grad_()
        maps.append(torch.autograd.grad(model(image).max(), image)[0])
    return maps


def robust(model, loader):
    model.eval()
    hits = 0
    for x, y in loader:
        out = model(x)
        adversarial = pgd_attack(model, x, out)
        with torch.no_grad():
            hits += (model(adversarial).argmax(1) == y).sum().item()
    return hits


def features(model, x):
    model.eval()
    return model(x)


def frozen(model, loader):
    for p in model.parameters():
        p.requires_grad_(False)
    model.eval()
    return sum(model(x).sum().item() for x in loader)
