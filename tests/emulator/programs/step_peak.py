# One training step in fp32, then one in bf16 mixed precision, in one process; prints both peaks and reserved bytes.
import torch
from torch import nn

BATCH = 65536
data = torch.randn(BATCH, 1024, device="cuda")
labels = torch.randint(0, 10, (BATCH,), device="cuda")


def step(amp):
    model = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 1024), nn.ReLU(), nn.Linear(1024, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=amp):
        loss = nn.functional.cross_entropy(model(data), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
    del model, optimizer, loss
    torch.cuda.empty_cache()


step(False)
step(True)
