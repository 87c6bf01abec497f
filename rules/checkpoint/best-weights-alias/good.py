import copy

import torch
import torch.nn.functional as F


def copied(net, train, score, opt, epochs):
    best, best_score = None, 0.0
    for _ in range(epochs):
        for x, y in train:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
        if score(net) > best_score:
            best_score = score(net)
            best = copy.deepcopy(net.state_dict())
    net.load_state_dict(best)
    return net


def each_tensor_cloned(net, batches, opt):
    start = {k: v.detach().clone() for k, v in net.state_dict().items()}
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    net.load_state_dict(start)


def saved_at_once(net, batches, opt, path):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
        state = {"model": net.state_dict()}
        torch.save(state, path)


def after_training(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    return net.state_dict()


def synchronised_now_and_then(net, target, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        F.mse_loss(net(x), target(y).detach()).backward()
        opt.step()
        if i % every == 0:
            target.load_state_dict(net.state_dict())


def a_copy_of_the_model(model, batches, score, opt):
    best_model, best = copy.deepcopy(model), 0.0
    for x, y in batches:
        opt.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()
        if score(model) > best:
            best_model = copy.deepcopy(model)
            best = score(model)
    torch.save(best_model.state_dict(), "best.pt")


def save(path, model):
    if hasattr(model, "module"):
        state = model.module.state_dict()
    else:
        state = model.state_dict()
    torch.save({"state_dict": state}, path)


def saved_anew_each_time(model, batches, opt, every):
    for i, (x, y) in enumerate(batches):
        opt.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()
        if i % every == 0:
            save(f"{i}.pt", model)
