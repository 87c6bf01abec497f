import copy

import torch


def weights(model, path):
    torch.save(model.state_dict, path)  # expect: save-without-call


def a_checkpoint(model, optimizer, epoch, path):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict, "epoch": epoch}  # expect: save-without-call
    torch.save(state, path)


def by_keyword(trainer, path):
    torch.save(obj=trainer.model.state_dict, f=path)  # expect: save-without-call


def copied(model):
    return copy.deepcopy(model.state_dict)  # expect: save-without-call


def loaded(model, other):
    other.load_state_dict(model.state_dict)  # expect: save-without-call


def stored(checkpoint, ema, path):
    checkpoint["ema"] = ema.module.state_dict  # expect: save-without-call
    torch.save(checkpoint, path)
