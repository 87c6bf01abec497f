import torch
from torch import no_grad


def a_statement(net, x):
    torch.no_grad()  # expect: no-grad-guard-unnamed
    return net(x)


def by_its_own_name(net, x):
    no_grad()  # expect: no-grad-guard-unnamed
    return net(x)


def inference(net, x):
    torch.inference_mode()  # expect: no-grad-guard-unnamed
    return net(x)


def autocast(net, x):
    torch.autocast("cuda", dtype=torch.bfloat16)  # expect: no-grad-guard-unnamed
    return net(x)


class Evaluator:
    def run(self, net, batches):
        for x in batches:
            torch.no_grad()  # expect: no-grad-guard-unnamed
            net(x)
