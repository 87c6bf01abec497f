import json

import torch


def weights(model, path):
    model.load_state_dict(torch.load(path, weights_only=True, map_location="cpu"))


def as_configured(path, trusted):
    return torch.load(path, map_location="cpu", weights_only=not trusted)


def own_file(model, state):
    torch.save(state, "last.pt")
    return torch.load("last.pt", weights_only=False)


def not_torch(path):
    with open(path) as file:
        return json.load(file)
