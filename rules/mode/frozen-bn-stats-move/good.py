import torch
import torch.nn.functional as F
from torch import nn


def make():
    backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
    return backbone, nn.Linear(8, 2)


def kept_in_evaluation_mode(backbone, head, batches, opt):
    for p in backbone.parameters():
        p.requires_grad_(False)
    backbone.eval()
    head.train()
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(head(backbone(x)), y).backward()
        opt.step()


def only_the_norms(model, batches, opt):
    for p in model.backbone.parameters():
        p.requires_grad = False
    model.train()
    for layer in model.backbone.modules():
        if isinstance(layer, nn.BatchNorm1d):
            layer.eval()
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()


def some_parameters(model, batches, opt):
    for name, p in model.named_parameters():
        if name.endswith("bias"):
            p.requires_grad = False
    model.train()
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()


def for_the_generator_step(gen, critic, noises, opt):
    gen.train()
    critic.train()
    for z in noises:
        for p in critic.parameters():
            p.requires_grad = False
        opt.zero_grad()
        (-critic(gen(z)).mean()).backward()
        opt.step()
        for p in critic.parameters():
            p.requires_grad = True
