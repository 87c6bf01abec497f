// Real PyTorch, from Python and from C++, on the emulated device through forerun-dry-run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPrograms = FORERUN_SOURCE_DIR "/tests/emulator/programs/";

CommandResult python(const std::string& code, const std::vector<std::string>& options = {}) {
  return dry_run(options, {FORERUN_PYTHON, "-c", "import torch\nfrom torch import nn\n" + code});
}

// Runs code that must succeed with nothing unmodelled, and returns what it printed.
std::string printed(const std::string& code, const std::vector<std::string>& options = {}) {
  const CommandResult result = python(code, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("unmodelled: c"))) << code;
  return result.out;
}

// The figures a real H100 gave (1881.6 and 1246.6 MiB), to the byte, and what 108 multiprocessors
// of 8.0 make of them.
TEST(Emulated, StepPeak) {
  const CommandResult h100 =
      dry_run({"--gpu", "h100-sxm-80gb"}, {FORERUN_PYTHON, kPrograms + "step_peak.py"});
  EXPECT_EQ(h100.exit_code, 0) << h100.err;
  EXPECT_EQ(h100.out, "1972996096 3009413120\n1307148800 1650458624\n");
  EXPECT_THAT(h100.err, HasSubstr("executing your program"));
  EXPECT_THAT(
      h100.err,
      HasSubstr("1,972,996,096 B (1881.6 MiB) allocated, 3,009,413,120 B (2870.0 MiB) reserved"));
  EXPECT_THAT(h100.err, HasSubstr("unmodelled calls: none"));
  const CommandResult a100 =
      dry_run({"--gpu", "a100-sxm-80gb"}, {FORERUN_PYTHON, kPrograms + "step_peak.py"});
  EXPECT_EQ(a100.out, "1922926592 2325741568\n1251837952 1520435200\n");
}

TEST(Emulated, LibTorch) {
  const CommandResult result = dry_run({}, {FORERUN_BINARY_DIR "/tests/emulated_libtorch_step"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "71613952 73400320\n");
}

TEST(Emulated, RunsOutOfMemoryAsTheCardWould) {
  const CommandResult result =
      dry_run({"--memory", "1GiB"}, {FORERUN_PYTHON, kPrograms + "step_peak.py"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(
      result.err,
      HasSubstr("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB"));
  EXPECT_THAT(result.err, HasSubstr("it ran out of device memory"));
  EXPECT_THAT(result.err, HasSubstr("requests did not fit, the first of 536,870,912 B"));
  // A program that copes is not a failure, and each card has its own capacity.
  EXPECT_EQ(printed("try: torch.empty(30 << 30, dtype=torch.uint8, device='cuda')\n"
                    "except torch.OutOfMemoryError as e: print(str(e)[20:116])\n",
                    {"--gpu", "t4"}),
            "Tried to allocate 30.00 GiB. GPU 0 has a total capacity of 14.75 GiB of which 14.63 "
            "GiB is free.\n");
}

TEST(Emulated, ProgramsThatFailOtherwiseKeepTheirStatus) {
  EXPECT_EQ(python("raise SystemExit(9)").exit_code, 9);
}

TEST(Emulated, WhatIsCopiedInComesBack) {
  EXPECT_EQ(
      printed("print(torch.tensor(3.5).cuda().item(), torch.tensor([1, 2, 3]).cuda().tolist(),"
              " torch.tensor([1., 2.]).cuda().clone().tolist(), torch.zeros(2, "
              "device='cuda').tolist())"),
      "3.5 [1, 2, 3] [1.0, 2.0] [0.0, 0.0]\n");
  // A block's contents end with its tensor, though the caching allocator keeps the memory.
  EXPECT_EQ(printed("x = torch.tensor([7] * 64).cuda(); p = x.data_ptr(); del x\n"
                    "y = torch.empty(64, dtype=torch.long, device='cuda'); print(y.data_ptr() == "
                    "p, y.sum().item())"),
            "True 0\n");
}

TEST(Emulated, PointersSayWhatTheyAre) {
  EXPECT_EQ(
      printed(
          "x = torch.ones(4); print(x.is_pinned(), x.pin_memory().is_pinned(), x.cuda().is_cuda)"),
      "False True True\n");
}

TEST(Emulated, DeviceIsTheProfile) {
  EXPECT_EQ(printed("p = torch.cuda.get_device_properties(0)\n"
                    "print(p.name, p.major, p.minor, p.multi_processor_count, p.total_memory, "
                    "torch.cuda.mem_get_info())",
                    {"--gpu", "l40s"}),
            "NVIDIA L40S 8 9 142 47803531264 (47385149440, 47803531264)\n");
}

TEST(Emulated, SeveralDevices) {
  EXPECT_EQ(printed("x = torch.ones(1 << 20, device='cuda:2'); y = "
                    "torch.tensor([5.]).to('cuda:1').to('cuda:2')\n"
                    "print(torch.cuda.device_count(), [torch.cuda.memory_allocated(i) for i in "
                    "range(3)], y.item())",
                    {"--gpus", "3"}),
            "3 [0, 0, 4194816] 5.0\n");
}

// Many kinds of operators in one process; none may crash, fail or be unmodelled.
TEST(Emulated, ManyOperators) {
  const CommandResult result = dry_run({}, {FORERUN_PYTHON, kPrograms + "operators.py"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "17\n");
  EXPECT_THAT(result.err, HasSubstr("unmodelled calls: none"));
}

TEST(Emulated, OperatorsCompiledAtRunTime) {
  EXPECT_EQ(printed("x = torch.empty(4, device='cuda'); x.erfinv_(); nn.init.trunc_normal_(x); "
                    "print(x.prod().item())"),
            "0.0\n");
}

TEST(Emulated, ExpandableSegmentsAndAsyncAllocation) {
  setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", 1);
  EXPECT_EQ(
      printed("before = torch.cuda.mem_get_info()[0]; x = torch.ones(50 << 20, device='cuda')\n"
              "print(torch.cuda.memory_reserved()); del x; torch.cuda.empty_cache()\n"
              "print(torch.cuda.memory_reserved(), torch.cuda.mem_get_info()[0] == before)"),
      "209715200\n0 True\n");
  setenv("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync", 1);
  EXPECT_EQ(
      printed(
          "x = torch.ones(1 << 20, device='cuda'); print(torch.cuda.memory_allocated()); del x\n"
          "print(torch.cuda.memory_allocated())"),
      "4194304\n0\n");
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
}

TEST(Emulated, GraphCapture) {
  EXPECT_EQ(printed("x = torch.ones(8, device='cuda'); g = torch.cuda.CUDAGraph()\n"
                    "with torch.cuda.graph(g): y = x + 1\n"
                    "g.replay(); print(y.shape, torch.cuda.is_current_stream_capturing())"),
            "torch.Size([8]) False\n");
}

// The weight space is what the parameters say, so that nothing is moved or refused.
TEST(Emulated, RecurrentNetworks) {
  EXPECT_EQ(printed("for make, extra in ((nn.LSTM, {}), (nn.GRU, {}), (nn.RNN, {}), (nn.LSTM, "
                    "dict(proj_size=4))):\n"
                    "  for both in (False, True):\n"
                    "    m = make(8, 16, 2, bidirectional=both, **extra).cuda(); y, _ = "
                    "m(torch.ones(5, 3, 8, device='cuda'))\n"
                    "    y.sum().backward(); print(tuple(y.shape), all(p.grad.shape == p.shape for "
                    "p in m.parameters()))"),
            "(5, 3, 16) True\n(5, 3, 32) True\n(5, 3, 16) True\n(5, 3, 32) True\n(5, 3, 16) "
            "True\n(5, 3, 32) True\n"
            "(5, 3, 4) True\n(5, 3, 8) True\n");
}

TEST(Emulated, AttentionConvolutionAndMixedPrecision) {
  const CommandResult result = python(
      "q = torch.ones(2, 4, 64, 64, device='cuda', dtype=torch.bfloat16, requires_grad=True)\n"
      "nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()\n"
      "m = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), "
      "nn.ReLU()).cuda().to(memory_format=torch.channels_last)\n"
      "o = torch.optim.AdamW(m.parameters(), fused=True); s = torch.amp.GradScaler('cuda')\n"
      "with torch.autocast('cuda', dtype=torch.float16): loss = m(torch.ones(2, 3, 16, 16, "
      "device='cuda')).sum()\n"
      "s.scale(loss).backward(); s.step(o); s.update(); print(loss.item(), len(o.state))");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "0.0 4\n");
  EXPECT_THAT(result.err, HasSubstr("sizes unknown, taken as 0"));
  EXPECT_THAT(result.err, HasSubstr("cuDNN execution plan workspace"));
}

TEST(Emulated, LinearAlgebraTransformsAndSparse) {
  printed(
      "x = torch.eye(8, device='cuda')\n"
      "torch.linalg.cholesky(x); torch.linalg.inv(x); torch.linalg.qr(x); torch.linalg.svd(x); "
      "torch.linalg.eigh(x)\n"
      "torch.fft.fft(x); torch.sparse.mm(torch.eye(8).to_sparse().cuda(), x); x.to_sparse() if "
      "False else None");
}

TEST(Emulated, Distributed) {
  EXPECT_EQ(
      printed(
          "import torch.distributed as d\n"
          "d.init_process_group('nccl', store=d.HashStore(), rank=0, world_size=4)\n"
          "m = nn.parallel.DistributedDataParallel(nn.Linear(8, 8).cuda())\n"
          "m(torch.ones(4, 8, device='cuda')).sum().backward(); print(m.module.weight.grad.shape)\n"
          "t = torch.tensor([1., 2.]).cuda(); d.all_reduce(t); print(t.tolist())\n"
          "o = [torch.zeros(1, device='cuda') for _ in range(4)]; d.all_gather(o, "
          "torch.tensor([5.]).cuda())\n"
          "print([x.item() for x in o]); d.destroy_process_group()"),
      "torch.Size([8, 8])\n[4.0, 8.0]\n[5.0, 5.0, 5.0, 5.0]\n");
}

// Asking for what nobody modelled is said by name, counted, and an error: never silently right.
TEST(Emulated, UnmodelledCallsAreNamedAndFail) {
  const CommandResult result = python(
      "import ctypes; rt = ctypes.CDLL('libcudart.so.13')\n"
      "torch.cuda.init(); print([rt.cudaMemRangeGetAttribute(0, 0, 0, 0, 0) for _ in range(3)])");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "[801, 801, 801]\n");
  EXPECT_THAT(result.err, HasSubstr("forerun emulator: unmodelled: cudaMemRangeGetAttribute"));
  EXPECT_THAT(result.err, HasSubstr("    cudaMemRangeGetAttribute x 3\n"));
}

TEST(Emulated, CountsWorkAndWaits) {
  const CommandResult result = python(
      "x = torch.zeros(256, device='cuda'); torch.cuda.synchronize()\nfor _ in range(10): "
      "x.add_(1)\nx.sum().item()");
  EXPECT_THAT(result.err, HasSubstr(" kernel launches, "));
  EXPECT_THAT(result.err, HasSubstr("4 B to the host"));
}

// Worker processes share the report.
TEST(Emulated, LoaderWorkersAndPinnedMemory) {
  EXPECT_EQ(printed("from torch.utils.data import DataLoader, TensorDataset\n"
                    "d = DataLoader(TensorDataset(torch.arange(8.)), batch_size=4, num_workers=2, "
                    "pin_memory=True)\n"
                    "print([(b.is_pinned(), b.cuda(non_blocking=True).tolist()) for (b,) in d])"),
            "[(True, [0.0, 1.0, 2.0, 3.0]), (True, [4.0, 5.0, 6.0, 7.0])]\n");
}

// Libraries in front but no profile: a machine without a GPU that says why, not a GPU nobody named.
TEST(Emulated, WithoutAProfileThereIsNoDevice) {
  const CommandResult result = python(
      "import os, subprocess, sys\n"
      "env = {k: v for k, v in os.environ.items() if k != 'FORERUN_EMULATOR_PROFILE'}\n"
      "code = 'import torch; print(torch.cuda.is_available(), torch.cuda.device_count())'\n"
      "r = subprocess.run([sys.executable, '-c', code], env=env, capture_output=True, text=True)\n"
      "print(r.stdout, r.stderr)\n"
      "env['FORERUN_EMULATOR_PROFILE'] = 'name=x\\ncolour=red\\n'\n"
      "r = subprocess.run([sys.executable, '-c', code], env=env, capture_output=True, text=True)\n"
      "print(r.stdout, r.stderr)\n");
  EXPECT_THAT(result.out, HasSubstr("False 0"));
  EXPECT_THAT(result.out, HasSubstr("does not say which GPU to emulate, so there is none"));
  EXPECT_THAT(result.out, HasSubstr("unknown key 'colour'"));
}

// PyTorch 2.11 for CUDA 13 carries code from compute capability 7.5 up: on an older card it fails,
// and so it does here.
TEST(Emulated, CardsTheProgramIsNotBuiltFor) {
  const CommandResult result = python("torch.ones(4, device='cuda')", {"--gpu", "v100-sxm-32gb"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no kernel image is available for execution on the device"));
  EXPECT_THAT(result.err,
              HasSubstr("not built for an emulated v100-sxm-32gb (compute capability 7.0)"));
}

TEST(Emulated, HiddenDevices) {
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_EQ(printed("print(torch.cuda.device_count())", {"--gpus", "2"}), "1\n");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(printed("print(torch.cuda.is_available())"), "False\n");
  unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace forerun::test
