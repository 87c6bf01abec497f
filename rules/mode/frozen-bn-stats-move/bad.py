import torch
import torch.nn.functional as F
from torch import nn


def make():
    backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
    return backbone, nn.Linear(8, 2)


def probe(backbone, head, batches, opt):
    for p in backbone.parameters():
        p.requires_grad_(False)
    backbone.train()  # expect: frozen-bn-stats-move
    head.train()
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(head(backbone(x)), y).backward()
        opt.step()


def a_member(model, batches, opt):
    for p in model.backbone.parameters():
        p.requires_grad = False
    model.train()  # expect: frozen-bn-stats-move
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()


def never_set(batches):
    backbone, head = make()
    backbone.requires_grad_(False)
    opt = torch.optim.SGD(head.parameters(), lr=0.1)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(head(backbone(x)), y).backward()  # expect: frozen-bn-stats-move
        opt.step()


def built_here(batches):
    backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
    head = nn.Linear(8, 2)
    opt = torch.optim.SGD(head.parameters(), lr=0.1)
    for p in backbone.parameters():
        p.requires_grad_(False)
    backbone.train()  # expect: frozen-bn-stats-move
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(head(backbone(x)), y).backward()
        opt.step()
