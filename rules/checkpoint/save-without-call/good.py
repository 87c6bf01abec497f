import torch


def weights(model, path):
    torch.save(model.state_dict(), path)


def a_checkpoint(model, optimizer, path):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


def kept_in_a_variable(model, state_dict, path):
    torch.save(state_dict, path)


def a_callback(hooks, model):
    hooks.on_demand(model.state_dict)


def patched(model, function):
    model.state_dict = function


class Restores:
    def load(self, checkpoint):
        self.state_dict = checkpoint["scheduler"]

    def start(self, scheduler):
        scheduler.load_state_dict(self.state_dict)
