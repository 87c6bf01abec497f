import torch
import torch.nn.functional as F
from torch import nn

kl = nn.KLDivLoss(reduction="batchmean", log_target=True)


def log_probabilities(student_scores, teacher_scores):
    return F.kl_div(student_scores.log_softmax(-1), teacher_scores.softmax(-1), reduction="batchmean")


def both_logarithms(student_scores, teacher_scores):
    return kl(F.log_softmax(student_scores, -1), F.log_softmax(teacher_scores, -1))


def logarithm_by_hand(student_scores, target):
    return F.kl_div((student_scores.softmax(-1) + 1e-8).log(), target, reduction="batchmean")


def not_known(input, target):
    return F.kl_div(input, target, reduction="batchmean")
