import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def main(net, train_set, val_set, rank, epochs):
    model = DDP(net.to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(model.parameters())
    loader = DataLoader(train_set, batch_size=32, shuffle=True, num_workers=4, pin_memory=True)  # expect: distributed-sampler-missing
    val_loader = DataLoader(val_set, batch_size=32, num_workers=4)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()
