# A training loop written with Hugging Face's Accelerate: mixed precision, accumulation, gathering, saving.
import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    set_seed(1)
    accelerator = Accelerator(mixed_precision="fp16", gradient_accumulation_steps=2)
    model = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=8)
    loader = DataLoader(TensorDataset(torch.randn(64, 32), torch.randint(4, (64,))), batch_size=8, shuffle=True)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    updates = 0
    for rows, labels in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(rows), labels)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                updates += 1
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    predictions = accelerator.gather_for_metrics(model(rows).argmax(1))
    with tempfile.TemporaryDirectory() as folder:
        accelerator.save_state(folder)
        accelerator.load_state(folder)
    accelerator.wait_for_everyone()
    accelerator.print(f"updates {updates}, predictions {tuple(predictions.shape)} on {accelerator.device}, "
                      f"skipped {accelerator.optimizer_step_was_skipped}, allocated {torch.cuda.max_memory_allocated()} B")


main()
