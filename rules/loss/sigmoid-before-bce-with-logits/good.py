import torch
import torch.nn.functional as F
from torch import nn


def raw_scores(fc, x, y):
    return F.binary_cross_entropy_with_logits(fc(x), y)


def sigmoid_for_the_metric(fc, x, y):
    scores = fc(x)
    loss = F.binary_cross_entropy_with_logits(scores, y)
    hits = (scores.sigmoid() > 0.5) == y
    return loss, hits


def a_gate_inside(fc, gate, x, y):
    return F.binary_cross_entropy_with_logits(fc(x) * torch.sigmoid(gate(x)), y)


def soft_labels(fc, teacher, x):
    return F.binary_cross_entropy_with_logits(fc(x), torch.sigmoid(teacher(x)))


def bce_of_probabilities(fc, x, y):
    return nn.BCELoss()(torch.sigmoid(fc(x)), y)


def either(fc, x, y, logits):
    out = fc(x)
    if not logits:
        out = out.sigmoid()
        return F.binary_cross_entropy(out, y)
    return F.binary_cross_entropy_with_logits(out, y)
