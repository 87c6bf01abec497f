import torch


def resume(model, path):
    model.cuda()
    model.load_state_dict(torch.load(path, weights_only=True))  # expect: load-without-map-location


def each_rank(model, rank):
    model = model.to(rank)
    state = torch.load("last.pt", weights_only=True)  # expect: load-without-map-location
    model.load_state_dict(state)
