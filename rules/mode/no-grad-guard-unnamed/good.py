import torch


def a_block(net, x):
    with torch.no_grad():
        return net(x)


@torch.no_grad()
def a_decorator(net, x):
    return net(x)


def a_switch(net, x):
    torch.set_grad_enabled(False)
    y = net(x)
    torch.set_grad_enabled(True)
    return y


def kept_and_entered(net, x, training):
    context = torch.enable_grad() if training else torch.no_grad()
    with context:
        return net(x)


def another_objects_method(strategy, net, x):
    strategy.no_grad()
    return net(x)


def handed_over(stack, net, x):
    stack.enter_context(torch.no_grad())
    return net(x)
