// What the log says of real programs: where they wait, where they allocate, when a step ends.
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/golden.h"
#include "verifier/dryrun/event_log.h"

namespace forerun::test {
namespace {

using ::testing::StartsWith;

// A program run with a log of its own, and that log.
class Observed {
 public:
  explicit Observed(const std::vector<std::string>& command, std::uint64_t stop_after = 0) {
    const std::string path = folder_.path() + "/log";
    const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(ftruncate(fd, sizeof(EmuLog)), 0);
    void* mapped = mmap(nullptr, sizeof(EmuLog), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    EXPECT_NE(mapped, MAP_FAILED);
    log_ = static_cast<EmuLog*>(mapped);
    log_->magic = EMU_LOG_MAGIC;
    log_->stop_after_steps = stop_after;
    // forerun-dry-run has a log of its own; env stands behind it.
    std::vector<std::string> argv{FORERUN_BINARY_DIR "/bin/forerun-dry-run", "--", "/usr/bin/env",
                                  "FORERUN_EMULATOR_EVENTS=" + path};
    argv.insert(argv.end(), command.begin(), command.end());
    result_ = run_command(argv, "", 300);
    EXPECT_EQ(result_.exit_code, 0) << result_.err;
  }
  ~Observed() { munmap(log_, sizeof(EmuLog)); }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

  const std::string& out() const { return result_.out; }
  int processes() const {
    int count = 0;
    for (const EmuProcessLog& process : log_->process) count += process.pid != 0 ? 1 : 0;
    return count;
  }
  const EmuProcessLog& process() const { return log_->process[0]; }
  const EmuStep& step(std::size_t number) const { return process().step[number - 1]; }
  std::string name(std::uint64_t number) const {
    return process().text + process().name_at[number];
  }

  // The events, as far as a short program has them.
  std::vector<EmuEvent> events(std::optional<int> kind = {}) const {
    std::vector<EmuEvent> found;
    for (std::uint64_t i = 0; i < process().events; ++i) {
      const EmuEvent& event = process().first[i];
      if (!kind || event.kind == *kind) found.push_back(event);
    }
    return found;
  }

  // "train.py:7 < train.py:3": a place and what called it, as far as it is the program's own.
  std::string place(std::uint32_t site) const {
    std::string text;
    for (; site != 0; site = process().site[site].caller) {
      const EmuSite& here = process().site[site];
      const std::string file = name(here.file);
      if (file.find("site-packages") != std::string::npos) continue;
      if (!text.empty()) text += " < ";
      text += file.substr(file.find_last_of('/') + 1);
      if (here.line != 0) text += ":" + std::to_string(here.line);
    }
    return text;
  }

  // How often the program waited, by place.
  std::map<std::string, std::uint64_t> waits() const {
    std::map<std::string, std::uint64_t> found;
    for (std::uint32_t i = 1; i < process().sites; ++i) {
      const std::uint64_t count = process().site[i].blocking_calls;
      if (count > 0) found[place(i)] += count;
    }
    return found;
  }

 private:
  TemporaryFolder folder_;
  EmuLog* log_ = nullptr;
  CommandResult result_;
};

// Runs code whose first lines are these; the code itself starts in line 7 of train.py.
constexpr const char* kSetup =
    "import torch, sys, threading\n"
    "from torch import nn\n"
    "net = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, "
    "8)).cuda()\n"
    "x = torch.randn(16, 64, device='cuda')\n"
    "optimizer = torch.optim.AdamW(net.parameters())\n"
    "torch.cuda.synchronize()\n";

struct Program {
  explicit Program(const std::string& code) { path = folder.write("train.py", kSetup + code); }
  TemporaryFolder folder;
  std::string path;
};

std::vector<std::string> python(const Program& program) { return {FORERUN_PYTHON, program.path}; }

constexpr const char* kLoop =
    "for step in range(4):\n"
    "    optimizer.zero_grad()\n"
    "    loss = net(x).square().mean()\n"
    "    loss.backward()\n"
    "    optimizer.step()\n";

TEST(Observation, OneItemAStepIsOneWaitAStepAtItsLine) {
  const Program with(std::string(kLoop) + "    loss.item()\n");
  const Observed seen(python(with));
  EXPECT_EQ(seen.processes(), 1);
  EXPECT_EQ(seen.process().language, 1u);
  ASSERT_EQ(seen.process().steps, 4u);
  for (int i = 2; i <= 4; ++i) {
    EXPECT_EQ(seen.step(i).blocking_calls, 1u);
    EXPECT_EQ(seen.step(i).computed_reads, 1u);
    EXPECT_EQ(seen.step(i).copies_to_host, 1u);
    EXPECT_EQ(seen.step(i).bytes_to_host, 4u);
  }
  const auto waits = seen.waits();
  ASSERT_TRUE(waits.count("train.py:12")) << ::testing::PrintToString(waits);
  EXPECT_EQ(waits.at("train.py:12"), 4u);

  const Program without(kLoop);
  const Observed unseen(python(without));
  ASSERT_EQ(unseen.process().steps, 4u);
  for (int i = 2; i <= 4; ++i) {
    EXPECT_EQ(unseen.step(i).blocking_calls, 0u);
    EXPECT_EQ(unseen.step(i).computed_reads, 0u);
  }
  EXPECT_FALSE(unseen.waits().count("train.py:12"));
}

TEST(Observation, OfThreadsEachHasItsPlace) {
  const Program program(
      "def read(which):\n"
      "    for i in range(20):\n"
      "        if which:\n"
      "            x[0, 0].item()\n"
      "        else:\n"
      "            x[0, 1].item()\n"
      "threads = [threading.Thread(target=read, args=(i,)) for i in range(2)]\n"
      "[t.start() for t in threads]\n"
      "[t.join() for t in threads]\n");
  const Observed seen(python(program));
  std::map<std::string, std::uint64_t> innermost;
  for (const EmuEvent& event : seen.events(EMU_EVENT_BLOCK)) {
    if (event.thread != EMU_THREAD_OTHER) continue;
    const std::string place = seen.place(event.site);
    ++innermost[place.substr(0, place.find(' '))];
  }
  EXPECT_EQ(innermost,
            (std::map<std::string, std::uint64_t>{{"train.py:10", 20}, {"train.py:12", 20}}));
}

TEST(Observation, WhatBackwardAllocatesIsPlacedWhereItWasCalled) {
  const Program program(kLoop);
  const Observed seen(python(program));
  int in_backward = 0;
  for (const EmuEvent& event : seen.events(EMU_EVENT_ALLOC)) {
    if (event.thread != EMU_THREAD_AUTOGRAD) continue;
    ++in_backward;
    EXPECT_EQ(seen.place(event.site), "train.py:10");
  }
  EXPECT_GE(in_backward, 4 * 6);  // a gradient for each parameter
}

// What a block turned out to be, at the end of the last step.
TEST(Observation, CategoriesAddUpToWhatIsAllocated) {
  const Program program(
      std::string(kLoop) +
      "size = lambda tensors: sum((t.numel() * t.element_size() + 511) // 512 * 512 for t in "
      "tensors)\n"
      "print(size(net.parameters()), size(p.grad for p in net.parameters()),\n"
      "      size(v for s in optimizer.state.values() for v in s.values() if v.is_cuda), "
      "size(net.buffers()))\n");
  const Observed seen(python(program));
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> live;  // bytes, category
  std::map<std::uint64_t, std::uint64_t> bytes;
  std::uint64_t allocated = 0;
  for (const EmuEvent& event : seen.events()) {
    if (event.kind == EMU_EVENT_ALLOC) live[event.a] = {event.b, 0};
    if (event.kind == EMU_EVENT_FREE) live.erase(event.a);
    if (event.kind == EMU_EVENT_ALLOC || event.kind == EMU_EVENT_FREE) allocated = event.c;
    if (event.kind == EMU_EVENT_CATEGORY) live.at(event.a).second = event.b;
    if (event.kind != EMU_EVENT_STEP) continue;
    bytes.clear();
    std::uint64_t sum = 0;
    for (const auto& [address, block] : live) {
      bytes[block.second] += block.first;
      sum += block.first;
    }
    EXPECT_EQ(sum, allocated);
    EXPECT_EQ(seen.step(event.a).allocated_end_bytes, allocated);
  }
  std::string told;
  for (const int category : {EMU_CATEGORY_PARAMETER, EMU_CATEGORY_GRADIENT,
                             EMU_CATEGORY_OPTIMIZER_STATE, EMU_CATEGORY_BUFFER})
    told += std::to_string(bytes[category]) + (category == EMU_CATEGORY_BUFFER ? "\n" : " ");
  EXPECT_EQ(seen.out(), told);
  EXPECT_GT(bytes[EMU_CATEGORY_WORKSPACE], 0u);
}

TEST(Observation, ProductsHaveTheirShapes) {
  const Program program(kLoop);
  const Observed seen(python(program));
  // Two forward, four backward, less the gradient of the input, which nobody wants.
  EXPECT_EQ(seen.step(3).gemms, 5u);
  EXPECT_EQ(seen.step(3).gemm_flops, 2u * 16 * 64 * 64 * 2 + 2u * 16 * 64 * 8 * 3);
}

TEST(Observation, StopsAfterSoManySteps) {
  const Program program(
      "try:\n"
      "    while True:\n"
      "        net(x).sum().backward()\n"
      "        optimizer.step()\n"
      "        print('step')\n"
      "finally:\n"
      "    print('cleaned up')\n");
  const Observed seen(python(program), 3);
  EXPECT_EQ(seen.process().steps, 3u);
  EXPECT_EQ(seen.out(), "step\nstep\ncleaned up\n");

  const Program stubborn(
      "for i in range(10):\n"
      "    try:\n"
      "        net(x).sum().backward()\n"
      "        optimizer.step()\n"
      "    except SystemExit:\n"
      "        print('no')\n");
  const Observed ended(python(stubborn), 3);
  EXPECT_EQ(ended.process().steps, 4u);
  EXPECT_EQ(ended.out(), "no\n");
}

TEST(Observation, OptimizersThatTakeTurnsMakeOneStep) {
  const Program program(
      "other = nn.Linear(8, 1).cuda()\n"
      "second = torch.optim.SGD(other.parameters(), 0.1)\n"
      "for i in range(5):\n"
      "    other(net(x).detach()).sum().backward()\n"
      "    second.step(); second.zero_grad()\n"
      "    other(net(x)).sum().backward()\n"
      "    optimizer.step(); optimizer.zero_grad()\n");
  const Observed seen(python(program));
  ASSERT_EQ(seen.process().steps, 5u);
  EXPECT_EQ(seen.step(4).gemms, seen.step(5).gemms);
}

TEST(Observation, EveryKindOfOptimizerEndsSteps) {
  const Program program(
      "for kind, options in ((torch.optim.SGD, {'lr': 0.1, 'foreach': False}),\n"
      "                      (torch.optim.Adam, {'fused': True}), (torch.optim.AdamW, "
      "{'capturable': True}),\n"
      "                      (torch.optim.RMSprop, {})):\n"
      "    optimizer = kind(net.parameters(), **options)\n"
      "    for i in range(2):\n"
      "        net(x).sum().backward()\n"
      "        optimizer.step()\n"
      "scaler = torch.amp.GradScaler('cuda')\n"
      "for i in range(2):\n"
      "    scaler.scale(net(x).sum()).backward()\n"
      "    scaler.step(optimizer)\n"
      "    scaler.update()\n");
  const Observed seen(python(program));
  EXPECT_EQ(seen.process().steps, 10u);
  // The scaler asks the device whether a gradient was infinite, once a step.
  EXPECT_EQ(seen.step(10).blocking_calls, 1u);
}

TEST(Observation, AUserMarksSteps) {
  const Program program(
      "import ctypes\n"
      "for i in range(6):\n"
      "    net(x).sum().backward()\n"
      "    if i % 2:\n"
      "        optimizer.step()\n"
      "    ctypes.CDLL(None).forerun_step()\n");
  const Observed seen(python(program));
  EXPECT_EQ(seen.process().steps, 6u);
}

// The main thread runs no Python from before the first use of the device.
TEST(Observation, TrainingInAThreadHasSteps) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("train.py",
                   "import threading, time, torch\n"
                   "def train():\n"
                   "    net = torch.nn.Linear(8, 8).cuda()\n"
                   "    optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
                   "    for i in range(6):\n"
                   "        net(torch.randn(4, 8, device='cuda')).sum().backward()\n"
                   "        time.sleep(0.2)\n"
                   "        optimizer.step()\n"
                   "thread = threading.Thread(target=train)\n"
                   "thread.start()\n"
                   "thread.join()\n");
  const Observed seen({FORERUN_PYTHON, path});
  EXPECT_GE(seen.process().steps, 5u);  // the first may be over before the hook is there
}

TEST(Observation, WorkersThatDoNotUseTheDeviceAreNotInTheLog) {
  const Program program(
      "from torch.utils.data import DataLoader\n"
      "for batch in DataLoader(torch.zeros(8, 64), batch_size=4, num_workers=2, "
      "pin_memory=True):\n"
      "    net(batch.cuda(non_blocking=True)).sum().backward()\n"
      "    optimizer.step()\n");
  const Observed seen(python(program));
  EXPECT_EQ(seen.processes(), 1);
  EXPECT_EQ(seen.process().steps, 2u);
  EXPECT_EQ(seen.step(2).copies_to_device, 1u);
  EXPECT_EQ(seen.step(2).bytes_to_device, 4u * 64 * 4);
  EXPECT_EQ(seen.step(2).pageable_bytes_to_device, 0u);
  EXPECT_EQ(seen.step(2).blocking_calls, 0u);
}

TEST(Observation, StepsAndPlacesOfACppProgram) {
  const Observed seen({FORERUN_BINARY_DIR "/tests/emulated_libtorch_step"});
  EXPECT_EQ(seen.process().language, 2u);
  ASSERT_EQ(seen.process().steps, 3u);
  EXPECT_EQ(seen.step(3).gemms, 5u);
  EXPECT_EQ(seen.step(3).blocking_calls, 0u);
  ASSERT_EQ(seen.waits().size(), 1u);
  EXPECT_EQ(seen.waits().begin()->first, "emulated_libtorch_step");
  // Two linear layers; gradients stay where they are and are told once.
  std::map<std::uint64_t, int> categories;
  for (const EmuEvent& event : seen.events(EMU_EVENT_CATEGORY)) ++categories[event.b];
  EXPECT_EQ(categories[EMU_CATEGORY_PARAMETER], 4);
  EXPECT_GE(categories[EMU_CATEGORY_GRADIENT], 4);
  for (const EmuEvent& event : seen.events(EMU_EVENT_ALLOC)) {
    EXPECT_THAT(seen.place(event.site), StartsWith("emulated_libtorch_step"));
    EXPECT_GT(seen.process().site[event.site].offset, 0u);
  }
}

}  // namespace
}  // namespace forerun::test
