# The smallest programs that once crashed an emulated device or got a wrong answer from it: each prints its name and what it
# found, or how it failed.
import os
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

warnings.filterwarnings("ignore")
torch.set_default_device("cuda")
PROGRAMS = []


def program(function):
    PROGRAMS.append(function)


@program
def compiled_at_run_time():
    x, whole = torch.ones(4), torch.ones(4, dtype=torch.int)
    x.erfinv_(), x.prod(), x.digamma(), torch.special.i0(x), x.sinc(), torch.gcd(whole, whole)
    return nn.init.trunc_normal_(x).shape, torch.ones(4, dtype=torch.cfloat).abs().shape


@program
def recurrent():
    shapes = [tuple(kind(8, 8, 2, dropout=0.5)(torch.ones(5, 3, 8))[0].shape) for kind in (nn.LSTM, nn.GRU, nn.RNN)]
    states = torch._cudnn_init_dropout_state(0.5, True, 1, dtype=torch.uint8, device="cuda")
    return shapes, states.is_cuda


@program
def linear_algebra():
    x, batch = torch.eye(6), torch.eye(6).repeat(3, 1, 1)
    for matrix in (x, batch, x.to(torch.cfloat), x.double()):
        torch.linalg.svd(matrix), torch.linalg.qr(matrix), torch.linalg.cholesky(matrix), torch.linalg.inv(matrix)
        torch.linalg.solve(matrix, matrix), torch.linalg.eigh(matrix), torch.linalg.lu_factor(matrix)
    torch.linalg.svd(batch, full_matrices=False), torch.linalg.pinv(x), torch.linalg.matrix_exp(x), torch.linalg.slogdet(x)
    torch.linalg.svd(batch, driver="gesvda"), torch.linalg.svd(x, driver="gesvd"), torch.linalg.ldl_factor(x)
    return tuple(torch.linalg.lstsq(x, x).solution.shape)


@program
def transforms():
    x = torch.ones(400)
    spectrum = torch.stft(x, 64, return_complex=True, window=torch.ones(64))
    torch.fft.fft2(torch.ones(8, 8)), torch.fft.fftn(torch.ones(2, 4, 8)), torch.fft.fft(torch.ones(8, dtype=torch.half))
    return tuple(spectrum.shape), tuple(torch.fft.irfft(torch.fft.rfft(x)).shape)


@program
def captured():
    x, graph = torch.ones(8), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
    graph.replay()
    return tuple(y.shape)


@program
def compiled():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.environ["TRITON_CACHE_DIR"] = folder
        return tuple(torch.compile(lambda x: x.relu() + 1)(torch.ones(8)).shape)


@program
def profiled():
    kinds = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[kinds.CUDA, kinds.CPU], profile_memory=True) as profile:
        (torch.ones(8) + 1).sum().item()
    return any(event.key == "aten::add" for event in profile.key_averages())


@program
def grouped_product():
    a, b = torch.ones(64, 32, dtype=torch.bfloat16), torch.ones(4, 16, 32, dtype=torch.bfloat16).transpose(-2, -1)
    a.requires_grad_(), b.requires_grad_()
    out = torch._grouped_mm(a, b, offs=torch.tensor([16, 32, 48, 64], dtype=torch.int32))
    (out * out).sum().backward()
    return tuple(out.shape), tuple(a.grad.shape)


@program
def pinned():
    host = torch.ones(3, device="cpu")
    return host.is_pinned(), host.pin_memory().is_pinned()


@program
def connectionist_loss():
    lengths = torch.full((4,), 10, dtype=torch.int32, device="cpu"), torch.full((4,), 5, dtype=torch.int32, device="cpu")
    labels = torch.randint(1, 6, (20,), dtype=torch.int32, device="cpu")
    scores = torch.randn(10, 4, 6, requires_grad=True)
    F.ctc_loss(scores.log_softmax(2), labels, tuple(lengths[0].tolist()), tuple(lengths[1].tolist())).backward()  # cuDNN's
    F.ctc_loss(scores.log_softmax(2), labels.long().cuda(), *(each.long() for each in lengths)).backward()
    return tuple(scores.grad.shape)


@program
def batch_norm_of_cudnn():
    image = torch.ones(2, 8, 4, 4, dtype=torch.half, requires_grad=True).to(memory_format=torch.channels_last)
    nn.BatchNorm2d(8)(image).sum().backward()
    nn.BatchNorm2d(8)(torch.ones(2, 8, 4, 4)).sum().backward()
    return nn.BatchNorm2d(8).eval()(image).is_contiguous(memory_format=torch.channels_last)


@program
def attention_of_cudnn():
    q = torch.ones(2, 4, 256, 64, dtype=torch.bfloat16, requires_grad=True)
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    return tuple(q.grad.shape)


@program
def shapes_from_data():
    """Right for what was copied in; for what a kernel would have computed nothing is found."""
    x, mask = torch.tensor([1.0, 0.0, 2.0], device="cpu").cuda(), torch.tensor([True, False, True], device="cpu").cuda()
    many = (torch.arange(50000, device="cpu") % 3 == 0).cuda()
    x.unique(), torch.multinomial(torch.ones(8), 4), torch.randperm(8)
    return len(x.nonzero()), len(x[mask]), len(many.nonzero()), len((x > 0).nonzero())


for function in PROGRAMS:
    try:
        print(function.__name__, function(), flush=True)
    except Exception as problem:
        print(f"{function.__name__}: {type(problem).__name__}: {str(problem).splitlines()[0]}", flush=True)
