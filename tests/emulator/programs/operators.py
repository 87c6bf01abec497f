# Runs many kinds of operators, forward and backward, each under its own name; prints those that fail, then how many ran.
import io
import os
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

warnings.filterwarnings("ignore")
torch.set_default_device("cuda")
torch.backends.cudnn.benchmark = True
CASES = []


def case(function):
    CASES.append(function)


@case
def convolutions():
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ConvTranspose2d(8, 4, 3), nn.Conv2d(4, 4, 3, groups=4))
    net(torch.ones(2, 3, 16, 16)).sum().backward()
    nn.Conv3d(3, 8, 3)(torch.ones(2, 3, 8, 8, 8)).sum().backward()
    nn.Conv1d(3, 8, 3)(torch.ones(2, 3, 8)).sum().backward()


@case
def norms_and_pools():
    image, rows = torch.ones(2, 4, 8, 8, requires_grad=True), torch.ones(8, 4, requires_grad=True)
    for module in (nn.GroupNorm(2, 4), nn.InstanceNorm2d(4), nn.BatchNorm2d(4), nn.MaxPool2d(2), nn.AvgPool2d(2)):
        module(image).sum().backward()
    for module in (nn.LayerNorm(4), nn.RMSNorm(4), nn.BatchNorm1d(4)):
        module(rows).sum().backward()


@case
def recurrent_with_dropout():
    net = nn.LSTM(8, 16, 3, dropout=0.5)
    net(torch.ones(5, 3, 8))[0].sum().backward()
    packed = nn.utils.rnn.pack_padded_sequence(torch.ones(5, 3, 8), torch.tensor([5, 4, 2], device="cpu"))
    net(packed)[0].data.sum().backward()
    net.half()(torch.ones(5, 3, 8, dtype=torch.half))


@case
def attention():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        q = torch.ones(2, 4, 64, 64, dtype=dtype, requires_grad=True)
        F.scaled_dot_product_attention(q, q, q, is_causal=True, dropout_p=0.1).sum().backward()
    nn.TransformerEncoderLayer(32, 4, batch_first=True)(torch.ones(2, 8, 32)).sum().backward()


@case
def optimizers():
    kinds = ((torch.optim.SGD, {"momentum": 0.9, "fused": True}), (torch.optim.Adam, {"fused": True}),
             (torch.optim.AdamW, {"capturable": True}), (torch.optim.RMSprop, {}), (torch.optim.Adagrad, {}),
             (torch.optim.LBFGS, {}))
    for kind, options in kinds:
        net = nn.Linear(8, 8, bias=False)
        optimizer = kind(net.parameters(), lr=0.1, **options)

        def closure():
            optimizer.zero_grad()
            loss = net(torch.ones(2, 8)).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)


@case
def low_precision_products():
    a = torch.ones(32, 32).to(torch.float8_e4m3fn)
    torch._scaled_mm(a, a.t(), scale_a=torch.ones(()), scale_b=torch.ones(()), out_dtype=torch.bfloat16)
    integers = torch.ones(32, 32, dtype=torch.int8)
    torch._int_mm(integers, integers)


@case
def random_numbers():
    torch.cuda.manual_seed_all(1)
    torch.cuda.set_rng_state(torch.cuda.get_rng_state())
    x = torch.rand(64, 64)
    torch.randperm(100), torch.multinomial(x, 2), x.bernoulli(), torch.dropout(x, 0.5, True), x.exponential_()


@case
def sorting_and_searching():
    x = torch.randn(64, 64)
    x.sort(), x.topk(3), x.unique(), x.nonzero(), x.median(), x.kthvalue(2), x.cumsum(0), torch.histc(x)
    torch.searchsorted(torch.arange(5), torch.tensor([1])), torch.bincount(torch.tensor([1, 2, 3]))


@case
def indexing():
    x = torch.randn(8, 8)
    x[torch.tensor([1, 2])] = 0
    x.masked_fill(x > 0, 0), torch.where(x > 0, x, x), x[x > 0], x.gather(0, torch.zeros(2, 8, dtype=torch.long))
    nn.EmbeddingBag(10, 4)(torch.zeros(2, 3, dtype=torch.long)).sum().backward()
    nn.Embedding(10, 4, sparse=True)(torch.zeros(3, dtype=torch.long)).sum().backward()


@case
def compiled_at_run_time():
    x = torch.ones(4)
    x.erfinv(), x.prod(), torch.special.i0(x), torch.ones(4, dtype=torch.cfloat).abs()
    torch.gcd(torch.ones(2, dtype=torch.int), torch.ones(2, dtype=torch.int))


@case
def linear_algebra():
    for x in (torch.eye(6), torch.eye(6).repeat(3, 1, 1)):
        torch.linalg.cholesky(x), torch.linalg.inv(x), torch.linalg.qr(x), torch.linalg.svd(x), torch.linalg.eigh(x)
        torch.linalg.solve(x, x), torch.linalg.det(x), torch.linalg.lstsq(x, x)


@case
def transforms_and_sparse():
    torch.fft.fft(torch.ones(64, 64)), torch.stft(torch.ones(400), 64, return_complex=True)
    dense = torch.ones(8, 8)
    torch.sparse.mm(torch.eye(8, device="cpu").to_sparse().cuda(), dense)
    torch.eye(8, device="cpu").to_sparse_csr().cuda() @ dense


@case
def streams_and_events():
    stream, first, last = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record()
    with torch.cuda.stream(stream):
        x = torch.ones(8)
    last.record()
    last.synchronize()
    x.record_stream(stream)
    assert first.elapsed_time(last) > 0 and first.query() and stream.query()


@case
def graphs():
    net = torch.cuda.make_graphed_callables(nn.Linear(8, 8), (torch.ones(4, 8),))
    net(torch.ones(4, 8)).sum().backward()


@case
def checkpointing_and_saving():
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
    checkpoint(net, torch.ones(8, 8, requires_grad=True), use_reentrant=False).sum().backward()
    kept = io.BytesIO()
    torch.save(net.state_dict(), kept)
    kept.seek(0)
    net.load_state_dict(torch.load(kept))
    host = nn.Linear(8, 8, device="cpu")
    weight = host.weight.detach().clone()
    assert torch.equal(host.cuda().cpu().weight, weight)  # what was copied in comes back


@case
def memory_history():
    torch.cuda.memory._record_memory_history()
    x = torch.ones(8)
    assert torch.cuda.memory._snapshot()["segments"], x
    torch.cuda.memory._record_memory_history(enabled=None)


@case
def compiled_by_inductor():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        os.environ["TRITON_CACHE_DIR"] = folder
        net = torch.compile(nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 8)))
        net(torch.ones(16, 64)).sum().backward()


def main():
    ran = 0
    for function in CASES:
        try:
            function()
            ran += 1
        except Exception as problem:
            print(f"{function.__name__}: {type(problem).__name__}: {problem}")
    print(ran)


main()
