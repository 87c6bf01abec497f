import torch


def resume(args, model):
    checkpoint = torch.load(args.resume, map_location="cpu", weights_only=False)  # expect: load-untrusted
    model.load_state_dict(checkpoint["model"])


def by_default(path):
    return torch.load(path, map_location="cpu")  # expect: load-untrusted
