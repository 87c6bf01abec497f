# Loads with worker processes into pinned memory and copies ahead on a stream of its own.
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return {"data": torch.full((128,), float(index)), "label": index % 10}


class Ahead:
    """The next batch is on its way while this one is used."""

    def __init__(self, loader):
        self.loader, self.stream = iter(loader), torch.cuda.Stream()
        self.load()

    def load(self):
        self.batch = next(self.loader, None)
        if self.batch is not None:
            with torch.cuda.stream(self.stream):
                self.batch = {key: value.to("cuda", non_blocking=True) for key, value in self.batch.items()}

    def __iter__(self):
        while self.batch is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            batch = self.batch
            for value in batch.values():
                value.record_stream(torch.cuda.current_stream())
            self.load()
            yield batch


def main():
    loader = DataLoader(Rows(), batch_size=16, num_workers=2, pin_memory=True, persistent_workers=True, prefetch_factor=2)
    model = nn.Linear(128, 10).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    seen = []
    for _ in range(2):
        for batch in Ahead(loader):
            loss = nn.functional.cross_entropy(model(batch["data"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.append(int(batch["data"][-1, 0].item()))
    print(f"last rows {seen}, pinned {next(iter(loader))['data'].is_pinned()}")


if __name__ == "__main__":
    main()
