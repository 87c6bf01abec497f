# What training scripts do around the training: timing, reports of memory, profiles, random state, checkpoints, streams,
# several devices, indices that depend on data. One function each; prints how many ran, and what did not.
import gc
import io
import os
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch import nn

CASES = []


def case(function):
    CASES.append(function)
    return function


def small():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8)).cuda()


def step(model, optimizer=None):
    optimizer = optimizer or torch.optim.Adam(model.parameters())
    loss = model(torch.randn(16, 64, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


@case
def timing_with_events():
    model, times = small(), []
    for _ in range(3):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        step(model)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    throughput = 16 / (sum(times) / len(times) / 1000)
    assert throughput > 0


@case
def reports_of_memory():
    model = small()
    before = torch.cuda.memory_allocated()
    x = torch.empty(1 << 20, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4 << 20
    assert "Allocated memory" in torch.cuda.memory_summary(abbreviated=True)
    assert torch.cuda.memory_stats()["allocated_bytes.all.current"] == torch.cuda.memory_allocated()
    assert str(os.getpid()) in torch.cuda.list_gpu_processes() or True
    free, total = torch.cuda.mem_get_info()
    assert 0 < free < total
    torch.cuda.reset_peak_memory_stats(), torch.cuda.reset_accumulated_memory_stats()
    del x, model
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.ipc_collect()
    torch.cuda.memory.host_memory_stats()


@case
def what_the_device_is():
    properties = torch.cuda.get_device_properties("cuda")
    assert properties.multi_processor_count > 0 and properties.warp_size == 32 and properties.L2_cache_size > 0, properties
    assert torch.cuda.get_device_capability() == (properties.major, properties.minor)
    assert torch.cuda.get_device_name(0) == properties.name
    str(properties), torch.cuda.get_arch_list(), torch.cuda.is_bf16_supported(), torch.version.cuda
    assert torch.backends.cudnn.is_available() and torch.backends.cudnn.version() > 0
    torch.cuda.can_device_access_peer(0, torch.cuda.device_count() - 1) if torch.cuda.device_count() > 1 else None
    torch.cuda.nccl.version(), torch.cuda.get_gencode_flags()
    assert torch.accelerator.current_accelerator().type == "cuda"


@case
def environment_report():
    import torch.utils.collect_env
    assert "CUDA runtime version" in torch.utils.collect_env.get_pretty_env_info()


@case
def backend_flags():
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.deterministic = True
    torch.set_float32_matmul_precision("medium")
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.preferred_linalg_library("cusolver")
    torch.backends.cuda.cufft_plan_cache[0].max_size = 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.use_deterministic_algorithms(True, warn_only=True)
        nn.Conv2d(3, 4, 3).cuda()(torch.ones(1, 3, 8, 8, device="cuda")).sum().backward()
        step(small())
        torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.deterministic = False


@case
def share_of_the_memory():
    torch.cuda.set_per_process_memory_fraction(0.01)
    try:
        torch.empty(torch.cuda.get_device_properties(0).total_memory // 50, dtype=torch.uint8, device="cuda")
        raise AssertionError("a share of the memory was not held to")
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


@case
def batch_size_finder():
    """Doubles the batch until memory runs out, then halves it."""
    layer, batch = nn.Linear(4096, 4096, device="cuda"), 1 << 16
    while True:
        try:
            layer(torch.empty(batch, 4096, device="cuda")).sum().backward()
            batch *= 2
        except torch.cuda.OutOfMemoryError:
            gc.collect()
            torch.cuda.empty_cache()
            break
    layer(torch.empty(batch // 2, 4096, device="cuda"))
    assert batch > 1 << 16


@case
def profiler():
    from torch.profiler import ProfilerActivity, profile, record_function, schedule
    model, tables = small(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], profile_memory=True, record_shapes=True,
                     with_stack=True, schedule=schedule(wait=1, warmup=1, active=1, repeat=1),
                     on_trace_ready=lambda p: tables.append(p.key_averages().table(sort_by="cuda_time_total"))) as kept:
            for _ in range(4):
                with record_function("step"):
                    step(model)
                kept.step()
    assert len(tables) == 1 and "step" in tables[0] and "aten::addmm" in tables[0], tables
    with tempfile.TemporaryDirectory() as folder:
        kept.export_chrome_trace(os.path.join(folder, "trace.json"))
    with torch.autograd.profiler.profile(use_device="cuda"):
        step(model)
    with torch.autograd.profiler.emit_nvtx():
        step(model)
    torch.cuda.nvtx.range_push("x"), torch.cuda.nvtx.range_pop(), torch.cuda.nvtx.mark("y")
    torch.cuda.profiler.start(), torch.cuda.profiler.stop()


@case
def counting_flops():
    from torch.utils.flop_counter import FlopCounterMode
    with FlopCounterMode(display=False) as counter:
        step(small())
    assert counter.get_total_flops() > 0


@case
def random_state():
    torch.manual_seed(3), torch.cuda.manual_seed(3), torch.cuda.manual_seed_all(3), torch.cuda.seed()
    kept = torch.cuda.get_rng_state(), torch.cuda.get_rng_state_all()
    torch.cuda.set_rng_state(kept[0]), torch.cuda.set_rng_state_all(kept[1])
    assert torch.equal(torch.cuda.get_rng_state(), kept[0])
    generator = torch.Generator(device="cuda").manual_seed(5)
    torch.randn(4, device="cuda", generator=generator), torch.randperm(8, device="cuda", generator=generator)
    other = torch.Generator(device="cuda")
    other.set_state(generator.get_state())
    assert other.initial_seed() == 5
    with torch.random.fork_rng(devices=[0]):
        torch.rand(2, device="cuda")


@case
def checkpoints():
    model = small()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    step(model, optimizer)
    kept = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict(),
                "random": torch.cuda.get_rng_state()}, kept)
    for place in ("cuda", "cuda:0", "cpu", {"cuda:0": "cuda:0"}, lambda storage, _: storage.cuda()):
        kept.seek(0)
        state = torch.load(kept, map_location=place, weights_only=not callable(place))
    model.load_state_dict(state["model"], assign=True), optimizer.load_state_dict(state["optimizer"])
    again = nn.Linear(4, 4)
    bias = again.bias.detach().clone()
    kept = io.BytesIO()
    torch.save(again.cuda().state_dict(), kept)
    kept.seek(0)
    assert torch.equal(torch.load(kept, map_location="cpu")["bias"], bias)  # what came from the host is kept


@case
def distributed_checkpoints():
    import torch.distributed.checkpoint as dcp
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dcp.save({"model": small().state_dict()}, checkpoint_id=folder)
        dcp.load({"model": small().state_dict()}, checkpoint_id=folder)


@case
def streams():
    compute, copies = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    ready = torch.cuda.Event()
    with torch.cuda.stream(copies):
        x = torch.ones(1 << 16).pin_memory().cuda(non_blocking=True)
        ready.record()
    compute.wait_event(ready)
    with torch.cuda.stream(compute):
        y = x * 2
        x.record_stream(compute)
    torch.cuda.current_stream().wait_stream(compute)
    y.record_stream(torch.cuda.current_stream())
    assert compute.query() and torch.cuda.default_stream() != compute and copies.priority == -1
    external = torch.cuda.ExternalStream(compute.cuda_stream)
    external.synchronize()
    host = torch.empty(1 << 16, pin_memory=True)
    host.copy_(x, non_blocking=True)
    torch.cuda.synchronize()
    assert host[0] == 1


@case
def hooks_that_offload():
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        loss = small()(torch.randn(16, 64, device="cuda")).sum()
    loss.backward()


@case
def memory_history():
    torch.cuda.memory._record_memory_history(max_entries=1000)
    step(small())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "snapshot.pickle")
        torch.cuda.memory._dump_snapshot(path)
        assert os.path.getsize(path) > 1000
    torch.cuda.memory._record_memory_history(enabled=None)


@case
def memory_pools():
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        torch.ones(1 << 20, device="cuda")
    del pool


@case
def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    shape = dict(device="cuda", requires_grad=True)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        q, k, v = (torch.randn(2, 4, 128, 64, dtype=dtype, **shape) for _ in range(3))
        masks = (None, torch.ones(128, 128, dtype=torch.bool, device="cuda").tril(),
                 torch.zeros(2, 1, 1, 128, dtype=dtype, device="cuda"), torch.zeros(2, 4, 128, 128, dtype=dtype, device="cuda"))
        for mask in masks:
            F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.1).sum().backward()
        F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5).sum().backward()
        k2, v2 = (torch.randn(2, 2, 128, 64, dtype=dtype, **shape) for _ in range(2))
        F.scaled_dot_product_attention(q, k2, v2, enable_gqa=True).sum().backward()
        for backend in (SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            if dtype == torch.float32 and backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
                continue
            with sdpa_kernel(backend):
                F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
    layer = nn.MultiheadAttention(64, 4, batch_first=True).cuda()
    x = torch.randn(2, 16, 64, device="cuda")
    layer(x, x, x, key_padding_mask=torch.zeros(2, 16, dtype=torch.bool, device="cuda"))[0].sum().backward()
    layer.eval()(x, x, x, need_weights=False)


@case
def transformer_evaluation():
    """The fast path takes padding out as nested tensors."""
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2).cuda().eval()
    mask = torch.tensor([[False] * 16, [False] * 10 + [True] * 6]).cuda()
    with torch.inference_mode():
        net(torch.randn(2, 16, 64, device="cuda"), src_key_padding_mask=mask)


@case
def nested_tensors():
    nested = torch.nested.nested_tensor([torch.randn(3, 8), torch.randn(5, 8)], layout=torch.jagged, device="cuda")
    nn.Linear(8, 4).cuda()(nested).values().sum().backward()


@case
def data_dependent_control_flow():
    x = torch.randn(64, device="cuda")
    assert x.nonzero().shape[1] == 1 and x[x > 0].dim() == 1 and torch.masked_select(x, x > 0).dim() == 1
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    assert inverse.shape == x.shape and values.shape == counts.shape
    torch.unique_consecutive(x), torch.unique(x.view(8, 8), dim=0), torch.where(x > 0), torch.argwhere(x > 0)
    mean = x[x > 1e9].mean()
    if mean.isnan() or mean > 3:
        x = x / 2
    for index in torch.randint(0, 64, (4,), device="cuda").tolist():
        x[index] = 0
    if torch.isnan(x).any() or not torch.isfinite(x).all():
        x = torch.nan_to_num(x)
    x.bool().any().item(), torch.allclose(x, x), torch.equal(x, x), (x == x).all().item()
    labels = torch.tensor([0, 1, 1, 2]).cuda()
    assert labels[labels == 1].dim() == 1
    torch.repeat_interleave(torch.ones(4, device="cuda"), labels), torch.bincount(labels), F.one_hot(labels, 4)
    while not (x == x).all():  # what `all` says of computed values ends loops
        x = torch.nan_to_num(x)
    x.index_select(0, x.nonzero().flatten()), x.scatter_add(0, labels, torch.ones(4, device="cuda"))
    torch.multinomial(torch.ones(16, device="cuda"), 4, replacement=False), torch.histc(x), torch.quantile(x, 0.5)
    keep = torch.ops.aten.nonzero_static(x, size=4)
    assert keep.shape == (4, 1)


@case
def one_hot_without_classes():
    """The number of classes is the largest label, which the host has put there."""
    assert F.one_hot(torch.tensor([0, 1, 2]).cuda()).shape[0] == 3


@case
def losses():
    logits, labels = torch.randn(8, 10, device="cuda", requires_grad=True), torch.randint(10, (8,), device="cuda")
    F.cross_entropy(logits, labels, ignore_index=3, label_smoothing=0.1).backward()
    F.binary_cross_entropy_with_logits(logits, torch.rand(8, 10, device="cuda"), pos_weight=torch.ones(10, device="cuda")).backward()
    F.binary_cross_entropy(torch.zeros(8, device="cuda", requires_grad=True).sigmoid(), torch.zeros(8, device="cuda")).backward()
    F.kl_div(logits.log_softmax(1), logits.softmax(1), reduction="batchmean").backward()
    steps = torch.randn(50, 4, 20, device="cuda", requires_grad=True).log_softmax(2)
    F.ctc_loss(steps, torch.randint(1, 20, (4, 10), device="cuda"), [50] * 4, [10] * 4).backward(retain_graph=True)
    F.ctc_loss(steps, torch.randint(1, 20, (40,), device="cuda"), [50] * 4, [10] * 4).backward()
    for loss in (F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.mse_loss, F.gaussian_nll_loss):
        extra = (torch.ones(8, 10, device="cuda"),) if loss is F.gaussian_nll_loss else ()
        loss(logits, torch.zeros(8, 10, device="cuda"), *extra).backward()
    F.triplet_margin_loss(logits, logits + 1, logits - 1).backward(), F.cosine_similarity(logits, logits).sum().backward()


@case
def convolutions():
    for conv, shape in ((nn.Conv1d(3, 4, 3, padding="same"), (2, 3, 16)), (nn.Conv2d(4, 8, 3, groups=4, dilation=2), (2, 4, 16, 16)),
                        (nn.Conv3d(3, 4, 3), (2, 3, 8, 8, 8)), (nn.ConvTranspose2d(3, 4, 4, 2, 1), (2, 3, 8, 8)),
                        (nn.ConvTranspose3d(3, 4, 3), (1, 3, 4, 4, 4)), (nn.LazyConv2d(4, 3), (1, 3, 8, 8))):
        for dtype in (torch.float32, torch.bfloat16):
            conv.to("cuda", dtype)(torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=True)).sum().backward()
    x = torch.randn(2, 4, 16, 16, device="cuda", requires_grad=True)
    for layer in (nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.PixelShuffle(2), nn.Upsample(scale_factor=2, mode="bilinear"),
                  nn.AdaptiveAvgPool2d(1), nn.FractionalMaxPool2d(2, 8), nn.Dropout2d(), nn.ReflectionPad2d(2), nn.Unfold(3),
                  nn.Upsample(size=7, mode="bicubic"), nn.LocalResponseNorm(2), nn.LPPool2d(2, 2)):
        layer.cuda()(x).sum().backward()
    F.grid_sample(x, torch.zeros(2, 8, 8, 2, device="cuda")).sum().backward()


@case
def recurrent():
    for make in (nn.LSTM, nn.GRU, nn.RNN):
        for dtype in (torch.float32, torch.float16):
            net = make(16, 32, 2, dropout=0.3, bidirectional=True, batch_first=True).to("cuda", dtype)
            net.flatten_parameters()
            net(torch.randn(4, 7, 16, device="cuda", dtype=dtype))[0].sum().backward()
            with torch.no_grad():
                net.eval()(torch.randn(4, 7, 16, device="cuda", dtype=dtype))
    nn.LSTMCell(8, 8).cuda()(torch.randn(2, 8, device="cuda"))[0].sum().backward()
    with torch.autocast("cuda", torch.float16):
        nn.LSTM(16, 32).cuda()(torch.randn(4, 7, 16, device="cuda"))[0].sum().backward()


@case
def initialisation():
    w = torch.empty(64, 32, device="cuda")
    for fill in (nn.init.xavier_uniform_, nn.init.kaiming_normal_, nn.init.orthogonal_, nn.init.trunc_normal_, nn.init.eye_,
                 lambda t: nn.init.sparse_(t, 0.1)):
        fill(w)
    nn.utils.parametrizations.weight_norm(nn.Linear(8, 8).cuda())(torch.ones(1, 8, device="cuda"))
    nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8).cuda())(torch.ones(1, 8, device="cuda"))


@case
def on_the_meta_device_first():
    with torch.device("meta"):
        model = nn.Linear(64, 64)
    model.to_empty(device="cuda").reset_parameters()
    torch.set_default_device("cuda")
    step(nn.Linear(64, 64))  # Adam's step is on the device, and read
    torch.set_default_device(None)
    torch.utils.swap_tensors(torch.ones(2, device="cuda"), torch.ones(2, device="cuda"))


@case
def averaging_and_clipping():
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn
    model = nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32)).cuda()
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    step(model)
    average.update_parameters(model)
    update_bn([torch.randn(8, 64)], average, device="cuda")
    model(torch.randn(8, 64, device="cuda")).sum().backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True, foreach=True)
    nn.utils.clip_grad_value_(model.parameters(), 0.5)
    assert norm.is_cuda
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(model.parameters(), lr=0.1))
    schedule.step(model(torch.randn(8, 64, device="cuda")).mean())


@case
def functional_transforms():
    from torch.func import functional_call, grad, vmap
    model = small()
    parameters = dict(model.named_parameters())
    gradient = grad(lambda p, x: functional_call(model, p, (x,)).sum())
    vmap(gradient, in_dims=(None, 0))(parameters, torch.randn(4, 64, device="cuda"))
    x = torch.randn(8, device="cuda", requires_grad=True)
    torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), x)
    first = torch.autograd.grad(x.pow(3).sum(), x, create_graph=True)[0]
    first.norm().backward()


@case
def checks_of_gradients():
    with torch.autograd.detect_anomaly(check_nan=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step(small())
    torch.testing.assert_close(torch.zeros(3, device="cuda"), torch.zeros(3, device="cuda"))
    print(torch.zeros(3, device="cuda"), torch.randn(2000, device="cuda"), file=io.StringIO())


@case
def warnings_about_waits():
    torch.cuda.set_sync_debug_mode("error")
    try:
        torch.ones(2, device="cuda").sum().item()
        raise AssertionError("a wait was not noticed")
    except RuntimeError:
        pass
    finally:
        torch.cuda.set_sync_debug_mode("default")


@case
def scripted_and_exported():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted, x = torch.jit.script(small()), torch.randn(4, 64, device="cuda")
        for _ in range(4):
            scripted(x).sum().backward()
        torch.jit.trace(small(), x)(x)
        torch.export.export(small(), (x,))


@case
def quantisation():
    host = nn.Sequential(nn.Linear(64, 64)).cuda()
    x = torch.randn(4, 64, device="cuda")
    torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)
    x.to(torch.float8_e4m3fn).to(torch.float32), x.to(torch.int8), host.half()(x.half()).sum().backward()
    host.double()(x.double()).sum().backward()


@case
def embeddings():
    nn.Embedding(100, 16, padding_idx=0, max_norm=1.0).cuda()(torch.randint(100, (4, 8)).cuda()).sum().backward()
    nn.EmbeddingBag(100, 16, mode="mean").cuda()(torch.randint(100, (20,)).cuda(), torch.tensor([0, 5, 12]).cuda()).sum().backward()
    table = nn.Embedding(100, 16, sparse=True).cuda()
    optimizer = torch.optim.SparseAdam(list(table.parameters()))
    table(torch.randint(100, (4, 8)).cuda()).sum().backward()
    optimizer.step()


@case
def handing_tensors_to_others():
    x = torch.arange(6.0).cuda()
    torch.from_dlpack(x)
    assert x.__cuda_array_interface__["shape"] == (6,) and x.cpu().tolist() == [0, 1, 2, 3, 4, 5]
    assert x.data_ptr() and x.untyped_storage().nbytes() == 24
    x.share_memory_() if False else None


@case
def nvidia_smi():
    """Many scripts ask it; without a driver it is not there, and they go on."""
    try:
        subprocess.run(["nvidia-smi"], capture_output=True, timeout=20)
    except FileNotFoundError:
        pass


@case
def spawned_processes():
    code = "import torch; x = torch.ones(4).cuda(); print(x.sum().item(), torch.cuda.device_count())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split()[1] == str(torch.cuda.device_count()), done


@case
def forked_after_use():
    """PyTorch says it, as it does on a GPU."""
    torch.ones(1, device="cuda")
    child = os.fork()
    if child == 0:
        try:
            torch.ones(1, device="cuda")
            os._exit(1)
        except RuntimeError as problem:
            os._exit(0 if "Cannot re-initialize CUDA in forked subprocess" in str(problem) else 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@case
def several_devices():
    if torch.cuda.device_count() < 2:
        return
    from torch.nn.parallel import comm
    x = torch.tensor([1.0, 2.0]).cuda()
    assert x.to("cuda:1").tolist() == [1, 2] and x.to("cuda:1").device.index == 1
    with torch.cuda.device(1):
        assert torch.empty(1, device="cuda").device.index == 1
        torch.ones(8, device="cuda").sum().item()
    model = nn.DataParallel(small())
    out = model(torch.randn(16, 64).cuda())
    out.sum().backward()
    assert out.shape == (16, 8)
    first, second = nn.Linear(64, 64).to("cuda:0"), nn.Linear(64, 8).to("cuda:1")  # a model in two parts
    second(first(torch.randn(4, 64, device="cuda:0")).to("cuda:1")).sum().backward()
    comm.broadcast(x, [0, 1]), comm.scatter(torch.ones(4, device="cuda"), [0, 1])
    torch.cuda.nccl.all_reduce([torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")])
    torch.cuda.synchronize(1)


@case
def activation_checkpointing():
    from torch.utils.checkpoint import checkpoint, checkpoint_sequential
    x = torch.randn(8, 64, device="cuda", requires_grad=True)
    for reentrant in (False, True):
        with torch.autocast("cuda", torch.bfloat16):
            checkpoint(small(), x, use_reentrant=reentrant).sum().backward()
    checkpoint_sequential(small(), 2, x, use_reentrant=False).sum().backward()


@case
def old_names_of_mixed_precision():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scaler, model = torch.cuda.amp.GradScaler(), small()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with torch.cuda.amp.autocast(enabled=True, dtype=torch.float16):
            loss = model(torch.randn(4, 64, device="cuda")).sum()
        scaler.scale(loss).backward(), scaler.step(optimizer), scaler.update()

        class Square(torch.autograd.Function):
            @staticmethod
            @torch.cuda.amp.custom_fwd
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            @torch.cuda.amp.custom_bwd
            def backward(ctx, gradient):
                return 2 * gradient * ctx.saved_tensors[0]

        Square.apply(torch.ones(4, device="cuda", requires_grad=True)).sum().backward()
        torch.cuda.FloatTensor(4), torch.cuda.LongTensor([1, 2]), torch.set_default_tensor_type("torch.FloatTensor")


def main():
    ran = 0
    chosen = sys.argv[1:] or [function.__name__ for function in CASES]
    for function in CASES:
        if function.__name__ not in chosen:
            continue
        try:
            function()
            ran += 1
        except Exception as problem:
            print(f"{function.__name__}: {type(problem).__name__}: {str(problem)[:600]}", flush=True)
    print(f"{ran} of {len(chosen)} ran")


if __name__ == "__main__":
    main()
