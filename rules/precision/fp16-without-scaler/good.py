import torch
import torch.nn.functional as F


def bfloat16(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()


def on_the_cpu(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cpu"):
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()


def with_a_scaler(net, batches, opt, scaler):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()


def scaled_by_hand(net, batches, opt, loss_scale):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(net(x), y)
        (loss * loss_scale).backward()
        for p in net.parameters():
            p.grad.div_(loss_scale)
        opt.step()


def a_dtype_that_is_not_known(net, batches, opt, dtype):
    for x, y in batches:
        opt.zero_grad()
        with torch.autocast("cuda", dtype=dtype):
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()


def only_the_other_branch(net, batches, opt, wrapper, amp):
    for x, y in batches:
        opt.zero_grad()
        if amp:
            with torch.autocast("cuda"):
                loss = F.cross_entropy(net(x), y)
            wrapper(loss, opt)
        else:
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            opt.step()


def the_cpu_has_bfloat16(net, batches, opt):
    for x, y in batches:
        opt.zero_grad()
        torch.set_autocast_enabled("cpu", True)
        out = net(x)
        torch.clear_autocast_cache()
        torch.set_autocast_enabled("cpu", False)
        F.mse_loss(out.to(torch.float32), y).backward()
        opt.step()
