# Every optimizer that has the variants, fused, foreach and one tensor at a time; what each keeps and needs.
import torch
from torch import nn

KINDS = ((torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}), (torch.optim.Adam, {}), (torch.optim.AdamW, {}),
         (torch.optim.Adagrad, {}), (torch.optim.RMSprop, {}), (torch.optim.NAdam, {}), (torch.optim.RAdam, {}),
         (torch.optim.Adadelta, {}), (torch.optim.Adamax, {}), (torch.optim.Rprop, {}), (torch.optim.ASGD, {}))
FUSED = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)
VARIANTS = ({"fused": True}, {"foreach": True}, {"foreach": False})


def train(kind, settings):
    model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(8))).cuda()
    optimizer = kind(model.parameters(), **settings)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    for _ in range(3):
        model(torch.randn(16, 256, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return torch.cuda.max_memory_allocated() - before


for cls, extra in KINDS:
    peaks = [train(cls, {**extra, **variant}) for variant in VARIANTS if "fused" not in variant or cls in FUSED]
    print(cls.__name__, *peaks)
