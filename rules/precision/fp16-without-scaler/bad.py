import torch
import torch.nn.functional as F
from torch.cuda.amp import autocast


def by_its_dtype(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast(device_type="cuda", dtype=torch.float16):
            loss = F.cross_entropy(net(x), y)
        loss.backward()  # expect: fp16-without-scaler
        opt.step()


def cudas_default(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        with autocast():
            out = net(x)
        F.cross_entropy(out.float(), y).backward()  # expect: fp16-without-scaler
        opt.step()


def when_a_flag_says_so(net, batches, opt, amp):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda", enabled=amp):
            loss = F.cross_entropy(net(x), y)
        loss.backward()  # expect: fp16-without-scaler
        opt.step()


def switched_on_by_hand(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        torch.set_autocast_enabled("cuda", True)
        out = net(x)
        torch.clear_autocast_cache()
        torch.set_autocast_enabled("cuda", False)
        F.mse_loss(out.to(torch.float32), y).backward()  # expect: fp16-without-scaler
        opt.step()
