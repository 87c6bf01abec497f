# A whole training step captured in a CUDA graph and replayed, then parts of a model captured with make_graphed_callables.
import torch
from torch import nn


def whole_step():
    model = nn.Sequential(nn.Linear(256, 512), nn.Dropout(0.2), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    data, target = torch.randn(64, 256, device="cuda"), torch.randn(64, 10, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(data), target).backward()
            optimizer.step()
    torch.cuda.current_stream().wait_stream(side)

    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = nn.functional.mse_loss(model(data), target)
        loss.backward()
        optimizer.step()
    for _ in range(5):
        data.copy_(torch.randn(64, 256))
        target.copy_(torch.randn(64, 10))
        graph.replay()
    torch.cuda.synchronize()
    print(f"replayed, loss {loss.item():.3f}, allocated {torch.cuda.max_memory_allocated()} B")


def parts():
    first, second = nn.Linear(64, 64).cuda(), nn.Linear(64, 64).cuda()
    sample = torch.randn(8, 64, device="cuda", requires_grad=True)
    first, second = torch.cuda.make_graphed_callables((first, second), ((sample,), (sample.detach().requires_grad_(),)))
    second(first(torch.randn(8, 64, device="cuda", requires_grad=True)).relu()).sum().backward()
    print(f"graphed callables, gradients {first.weight.grad is not None and second.weight.grad is not None}")


def forbidden():
    """A capture refuses what a real one refuses."""
    graph, x = torch.cuda.CUDAGraph(), torch.ones(4, device="cuda")
    try:
        with torch.cuda.graph(graph):
            x.sum().item()
    except RuntimeError as problem:
        print(f"refused: {str(problem).splitlines()[0]}")


whole_step()
parts()
forbidden()
