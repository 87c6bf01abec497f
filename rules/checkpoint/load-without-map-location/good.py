import torch


def on_the_host(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    model.cuda()


def by_position(path, device):
    return torch.load(path, device, weights_only=True)


def as_configured(path, **options):
    return torch.load(path, **options)
