import torch
import torch.nn.functional as F


def carried(lstm, head, windows, state, opt):
    for x, y in windows:
        opt.zero_grad()
        out, state = lstm(x, state)  # expect: hidden-state-not-detached
        loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
        loss.backward()
        opt.step()


def silenced_with_retain_graph(rnn, head, windows, opt):
    hidden = torch.zeros(1, 8, 16)
    for x, y in windows:
        opt.zero_grad()
        out, hidden = rnn(x, hidden)  # expect: hidden-state-not-detached
        loss = F.mse_loss(head(out), y)
        loss.backward(retain_graph=True)
        opt.step()


class Trainer:
    def __init__(self, rnn, head):
        self.rnn = rnn
        self.head = head
        self.opt = torch.optim.Adam(rnn.parameters())
        self.hidden = None

    def train_window(self, x, y):
        self.opt.zero_grad()
        out, self.hidden = self.rnn(x, self.hidden)  # expect: hidden-state-not-detached
        F.mse_loss(self.head(out), y).backward()
        self.opt.step()

    def fit(self, windows):
        for x, y in windows:
            self.train_window(x, y)


def step_by_step_and_on_to_the_next_window(cell, head, windows, opt):
    hidden = torch.zeros(8, 16)
    for window in windows:
        opt.zero_grad()
        loss = 0.0
        for x, y in window:
            hidden = cell(x, hidden)  # expect: hidden-state-not-detached
            loss = loss + F.mse_loss(head(hidden), y)
        loss.backward()
        opt.step()


def carried_as_in_cpp(cell: torch.nn.GRUCell, head: torch.nn.Linear, batches, opt):
    hidden = torch.zeros((8, 16))
    for x, y in batches:
        opt.zero_grad()
        hidden = cell(x, hidden)  # expect: hidden-state-not-detached
        F.mse_loss(head(hidden), y).backward()
        opt.step()
