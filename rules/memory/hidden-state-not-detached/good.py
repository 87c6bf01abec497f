import torch
import torch.nn.functional as F
from somewhere import repackage


def detached(lstm, head, windows, state, opt):
    for x, y in windows:
        opt.zero_grad()
        state = tuple(s.detach() for s in state)
        out, state = lstm(x, state)
        F.cross_entropy(head(out).flatten(0, 1), y.flatten()).backward()
        opt.step()


def detached_afterwards(rnn, head, windows, opt):
    hidden = torch.zeros(1, 8, 16)
    for x, y in windows:
        opt.zero_grad()
        out, hidden = rnn(x, hidden)
        F.mse_loss(head(out), y).backward()
        opt.step()
        hidden.detach_()


def by_a_helper_that_is_not_seen(rnn, head, windows, hidden, opt):
    for x, y in windows:
        opt.zero_grad()
        hidden = repackage(hidden)
        out, hidden = rnn(x, hidden)
        F.mse_loss(head(out), y).backward()
        opt.step()


def made_anew_for_every_window(cell, head, windows, opt):
    for window in windows:
        hidden = torch.zeros(8, 16)
        opt.zero_grad()
        loss = 0.0
        for x, y in window:
            hidden = cell(x, hidden)
            loss = loss + F.mse_loss(head(hidden), y)
        loss.backward()
        opt.step()


def cut_between_windows(cell, head, windows, opt):
    hidden = torch.zeros(8, 16)
    for window in windows:
        hidden = hidden.detach()
        opt.zero_grad()
        loss = 0.0
        for x, y in window:
            hidden = cell(x, hidden)
            loss = loss + F.mse_loss(head(hidden), y)
        loss.backward()
        opt.step()


def truncated(cell, head, steps, opt, every):
    hidden = torch.zeros(8, 16)
    loss = torch.zeros(())
    for i, (x, y) in enumerate(steps):
        hidden = cell(x, hidden)
        loss = loss + F.mse_loss(head(hidden), y)
        if (i + 1) % every == 0:
            opt.zero_grad()
            loss.backward()
            opt.step()
            hidden = hidden.detach()
            loss = torch.zeros(())


@torch.no_grad()
def nothing_to_run_backward(rnn, windows, hidden):
    for x in windows:
        out, hidden = rnn(x, hidden)
    return hidden
