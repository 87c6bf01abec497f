import torch
import torch.nn.functional as F


def batches_stay_where_they_are(net, loader, opt, device):
    for images, labels in loader:
        images.to(device)  # expect: discarded-tensor-result
        labels.to(device)  # expect: discarded-tensor-result
        opt.zero_grad()
        F.cross_entropy(net(images), labels).backward()
        opt.step()


def a_tensor_made_here(n):
    mask = torch.zeros(n)
    mask.cuda()  # expect: discarded-tensor-result
    mask.unsqueeze(0)  # expect: discarded-tensor-result
    return mask


def still_attached(net, x):
    out = net(x).mean()
    out.detach()  # expect: discarded-tensor-result
    return out


def a_type(target, out):
    target.float()  # expect: discarded-tensor-result
    return F.mse_loss(out, target)


def clamped(x):
    y = torch.exp(x)
    y.clamp(0, 1)  # expect: discarded-tensor-result
    return y


class Policy:
    def act(self, obs):
        probs = torch.softmax(obs, -1)
        probs.squeeze(0)  # expect: discarded-tensor-result
        return probs
