import torch
import torch.nn.functional as F
from torch import nn


def make_net():
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))


@torch.no_grad()
def validate(net, batches):
    was_training = net.training
    net.eval()
    loss = torch.stack([F.cross_entropy(net(x), y) for x, y in batches]).mean()
    net.train(was_training)
    return loss


def restored_by_the_helper(net, train_batches, val_batches, opt):
    net.train()
    for x, y in train_batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
        validate(net, val_batches)


def train_epoch(net, batches, opt):
    net.train()
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def test(net, batches):
    net.eval()
    with torch.no_grad():
        for x, _ in batches:
            net(x)


def restored_at_the_top_of_an_epoch(net, train, val, opt, epochs):
    for _ in range(epochs):
        train_epoch(net, train, opt)
        test(net, val)


def evaluated_after_training(net, train, val, opt):
    train_epoch(net, train, opt)
    net.eval()
    for x, _ in val:
        with torch.no_grad():
            net(x)


def frozen_norms(net, batches, opt):
    net.train()
    for x, y in batches:
        for layer in net.modules():
            if isinstance(layer, nn.BatchNorm1d):
                layer.eval()
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def a_teacher(net, teacher, batches, opt):
    for x, y in batches:
        teacher.eval()
        with torch.no_grad():
            target = teacher(x)
        opt.zero_grad()
        F.mse_loss(net(x), target).backward()
        opt.step()


def trained_in_evaluation_mode(net, batches, opt):
    net.eval()
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()


def one_function_for_both(net, opt, criterion, batches, mode):
    if mode == "train":
        net.train()
    else:
        net.eval()
    for x, y in batches:
        with torch.set_grad_enabled(mode == "train"):
            loss = criterion(net(x), y)
        if mode == "train":
            opt.zero_grad()
            loss.backward()
            opt.step()


def calls_it(opt, criterion, batches, held_out):
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
    for _ in range(10):
        one_function_for_both(net, opt, criterion, batches, mode="train")
        one_function_for_both(net, opt, criterion, held_out, mode="valid")
