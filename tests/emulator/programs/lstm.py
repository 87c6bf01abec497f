# A word-level language model: an LSTM on the device, truncated back-propagation, then sequences of several lengths.
import torch
from torch import nn

WORDS, WIDTH, LAYERS, BATCH, TOKENS = 5000, 650, 2, 20, 35


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.drop = nn.Dropout(0.5)
        self.lstm = nn.LSTM(WIDTH, WIDTH, LAYERS, dropout=0.5)
        self.head = nn.Linear(WIDTH, WORDS)
        self.head.weight = self.embed.weight

    def forward(self, tokens, state):
        out, state = self.lstm(self.drop(self.embed(tokens)), state)
        return self.head(self.drop(out)), state


def main():
    torch.manual_seed(1)
    model = Model().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=20)
    state = tuple(torch.zeros(LAYERS, BATCH, WIDTH, device="cuda") for _ in range(2))
    corpus = torch.randint(WORDS, (TOKENS * 4 + 1, BATCH)).cuda()
    total = 0.0
    for start in range(0, len(corpus) - 1, TOKENS):
        state = tuple(part.detach() for part in state)
        logits, state = model(corpus[start:start + TOKENS], state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), corpus[start + 1:start + 1 + TOKENS].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        total += loss.item()
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(7, 3, WIDTH, device="cuda"), torch.tensor([7, 5, 2]))
    out, lengths = nn.utils.rnn.pad_packed_sequence(model.lstm(packed)[0])
    nn.GRU(WIDTH, 64, bidirectional=True, batch_first=True).cuda()(out.transpose(0, 1))[0].sum().backward()
    print(f"total {total:.2f}, lengths {lengths.tolist()}, "
          f"allocated {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB")


main()
