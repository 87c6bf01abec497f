// What is said of a log: categories that add up, the peak, steps, waits, growth.
#include "verifier/dryrun/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/dryrun/log_builder.h"
#include "verifier/dryrun/run_report.h"
#include "verifier/dryrun/trace.h"

namespace forerun::dryrun {
namespace {

using test::kSite;
using test::LogBuilder;
using ::testing::HasSubstr;
using ::testing::Not;

std::int64_t at(const CategoryBytes& bytes, Category category) {
  return bytes[static_cast<std::size_t>(category)];
}

// A training loop of `steps` steps; what a test adds comes at the marked places.
struct Loop {
  LogBuilder log;
  std::uint32_t setup = log.site("train.py", 3, "<module>");
  std::uint32_t input = log.site("train.py", 10, "step");
  std::uint32_t forward = log.site("train.py", 11, "step");
  std::uint32_t loss = log.site("train.py", 12, "step");
  std::uint32_t item = log.site("train.py", 15, "step");
  bool reads_loss = false, keeps_loss = false;
  std::uint64_t next_loss = 0x900000;

  void prepare() {
    log.allocate(0x1000, 4096, setup);
    log.event(EMU_EVENT_COPY, setup, 4096, EMU_COPY_TO_DEVICE, 0x1000);
  }
  void step() {
    const bool is_first = log.area().steps == 0;
    log.allocate(0x20000, 1024, input);
    log.event(EMU_EVENT_COPY, input, 1000, EMU_COPY_TO_DEVICE | EMU_COPY_BLOCKING, 0x20010);
    log.step().copies_to_device += 1;
    log.step().bytes_to_device += 1000;
    log.step().pageable_bytes_to_device += 1000;
    log.allocate(0x30000, 8192, forward);
    log.allocate(0x40000, 512, forward);
    log.launch("gemm", forward);
    log.event(EMU_EVENT_GEMM, forward, (64ull << 32) | 32, 16ull << 32 | 1, 14);
    log.step().gemm_flops += 2 * 64 * 32 * 16;
    log.release(0x40000);
    log.allocate(next_loss, 512, loss);
    log.thread = EMU_THREAD_AUTOGRAD;
    log.allocate(0x50000, 2048, loss);
    log.launch("gemm_backward");
    log.allocate(0x60000, 4096);
    log.release(0x50000);
    log.thread = EMU_THREAD_MAIN;
    log.release(0x30000);
    if (is_first) {
      log.allocate(0x70000, 8192, setup);
      log.event(EMU_EVENT_CATEGORY, 0, 0x70000, EMU_CATEGORY_OPTIMIZER_STATE);
    }
    log.event(EMU_EVENT_CATEGORY, 0, 0x1000, EMU_CATEGORY_PARAMETER);
    log.event(EMU_EVENT_CATEGORY, 0, 0x60000, EMU_CATEGORY_GRADIENT);
    log.launch("adam");
    if (reads_loss) log.wait(item);
    log.end_step();
    log.release(0x60000);
    log.release(0x20000);
    if (keeps_loss)
      next_loss += 0x1000;
    else
      log.release(next_loss);
  }
  void run(int steps) {
    prepare();
    for (int i = 0; i < steps; ++i) step();
  }
  ProcessAnalysis analysis() const { return analyse(log.read(), {"/here", {}}); }
};

TEST(Analysis, CategoriesAddUpAtEveryInstant) {
  Loop loop;
  loop.run(3);
  const ProcessLog log = loop.log.read();
  CallSites sites(log, {"/here", {}});
  const Moments moments = moments_of(log, sites);
  const Blocks blocks = blocks_of(log, moments, sites);
  EXPECT_EQ(blocks.nonsense, 0);
  int instants = 0;
  sweep(blocks.all, 0, [&](std::size_t event, const CategoryBytes& bytes) {
    EXPECT_EQ(sum(bytes), static_cast<std::int64_t>(log.events[event].c)) << event;
    ++instants;
  });
  EXPECT_GT(instants, 30);
}

TEST(Analysis, WhatABlockWasFor) {
  Loop loop;
  loop.run(2);
  const ProcessAnalysis analysis = loop.analysis();
  ASSERT_EQ(analysis.devices.size(), 1u);
  const DeviceMemory& memory = analysis.devices[0];
  // The second step's backward: the first one's state is there, the gradient is not yet.
  EXPECT_EQ(memory.peak_at.step, 2);
  EXPECT_EQ(memory.peak_at.phase, Phase::kBackward);
  EXPECT_EQ(at(memory.at_peak, Category::kParameters), 4096);
  EXPECT_EQ(at(memory.at_peak, Category::kOptimizerState), 8192);
  EXPECT_EQ(at(memory.at_peak, Category::kGradients), 4096);
  EXPECT_EQ(at(memory.at_peak, Category::kActivations), 8192 + 512);
  EXPECT_EQ(at(memory.at_peak, Category::kTemporaries), 2048);
  EXPECT_EQ(at(memory.at_peak, Category::kData), 1024);
  EXPECT_EQ(at(memory.at_peak, Category::kUnknown), 0);
  std::int64_t places = 0;
  for (const PlaceShare& share : memory.by_place) places += share.bytes;
  EXPECT_EQ(places, memory.peak_bytes());
  EXPECT_EQ(memory.largest[0].bytes, 8192);
}

TEST(Analysis, PhasesOfAStepThatAccumulates) {
  LogBuilder builder;
  for (int i = 0; i < 2; ++i) {
    builder.launch("forward");
    builder.backward();
  }
  builder.launch("adam");
  builder.end_step();
  builder.launch("forward");
  const ProcessLog log = builder.read();
  CallSites sites(log, {});
  const Moments moments = moments_of(log, sites);
  std::string phases;
  for (const Moment& moment : moments.of_event) phases += to_string(moment.phase)[0];
  EXPECT_EQ(phases, "fbfboof");
  EXPECT_EQ(moments.of_event.back().step, 2);
  ASSERT_EQ(moments.spans.size(), 2u);
  EXPECT_TRUE(moments.spans[0].whole);
  EXPECT_FALSE(moments.spans[1].ended);
}

TEST(Analysis, WaitsAreCountedAStepAtTheirLine) {
  Loop loop;
  loop.reads_loss = true;
  loop.run(8);
  const ProcessAnalysis analysis = loop.analysis();
  ASSERT_EQ(analysis.waits.size(), 1u);
  EXPECT_EQ(to_string(analysis.waits[0].place), "train.py:15 in step");
  EXPECT_EQ(analysis.waits[0].count, 8);
  EXPECT_EQ(analysis.waits[0].count_per_step, 1);
  EXPECT_EQ(analysis.later->blocking_calls, 1u);
  Loop silent;
  silent.run(8);
  EXPECT_TRUE(silent.analysis().waits.empty());
  EXPECT_EQ(silent.analysis().later->blocking_calls, 0u);
}

TEST(Analysis, CopiesAndProducts) {
  Loop loop;
  loop.run(4);
  const ProcessAnalysis analysis = loop.analysis();
  ASSERT_EQ(analysis.copies.size(), 2u);
  EXPECT_EQ(analysis.copies[0].what, "to the device, pageable, waits");
  EXPECT_EQ(analysis.copies[0].bytes_per_step, 1000);
  EXPECT_EQ(analysis.copies[1].count_per_step, 0);  // of setting up
  ASSERT_EQ(analysis.gemms.size(), 1u);
  EXPECT_EQ(analysis.gemms[0].what, "64 x 32 x 16 bf16");
  EXPECT_EQ(analysis.gemms[0].flops_per_step, 2 * 64 * 32 * 16);
  EXPECT_EQ(analysis.kernels.size(), 3u);
}

TEST(Analysis, AKeptLossGrows) {
  Loop loop;
  loop.keeps_loss = true;
  loop.run(10);
  const Growth growth = loop.analysis().growth;
  EXPECT_TRUE(growth.grows);
  EXPECT_EQ(growth.bytes_per_step, 512);
  ASSERT_EQ(growth.places.size(), 1u);
  EXPECT_EQ(to_string(growth.places[0].place), "train.py:12 in step");
  EXPECT_EQ(growth.places[0].bytes_per_step, 512);
  EXPECT_EQ(growth.places[0].blocks, 8);
}

// Batches of several lengths stay on the device over the end of a step.
TEST(Analysis, GrowthThatOtherBlocksHide) {
  Loop loop;
  loop.keeps_loss = true;
  loop.prepare();
  for (int i = 0; i < 12; ++i) {
    loop.log.allocate(0x5000000, 4096u * static_cast<unsigned>(1 + i * 7 % 5), loop.input);
    loop.step();
    loop.log.release(0x5000000);
  }
  const Growth growth = loop.analysis().growth;
  EXPECT_TRUE(growth.grows);
  EXPECT_EQ(growth.bytes_per_step, 512);
  ASSERT_EQ(growth.places.size(), 1u);
  EXPECT_EQ(to_string(growth.places[0].place), "train.py:12 in step");
}

TEST(Analysis, ALoopThatOnlyStartsUpDoesNotGrow) {
  Loop loop;
  loop.run(10);
  EXPECT_TRUE(loop.analysis().growth.can_tell);
  EXPECT_FALSE(loop.analysis().growth.grows);
  Loop brief;
  brief.keeps_loss = true;
  brief.run(5);
  EXPECT_FALSE(brief.analysis().growth.can_tell);
}

std::vector<std::int64_t> ramp(std::vector<std::int64_t> series, int steps, std::int64_t gain) {
  for (int i = 0; i < steps; ++i) series.push_back(series.back() + gain);
  return series;
}

TEST(Growth, OfASeries) {
  EXPECT_EQ(growing_stretch({100, 200, 201, 202, 203, 204}), (Stretch{1, 5}));
  EXPECT_FALSE(growing_stretch({100, 200, 300, 300, 300, 300}));  // lazily allocated at first
  EXPECT_FALSE(growing_stretch(ramp(ramp({9, 9}, 8, 5), 2, 0)));  // for longer
  EXPECT_FALSE(growing_stretch({100, 200, 201, 202, 203}));       // too few to tell
  EXPECT_FALSE(growing_stretch({9, 9, 9, 9, 9, 9, 9, 9}));
  EXPECT_FALSE(growing_stretch({9, 9, 12, 8, 11, 9, 12, 8}));  // batches of several lengths
  EXPECT_TRUE(growing_stretch({9, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19}));  // all but one
}

TEST(Growth, OfOnePartOfAProgram) {
  std::vector<std::int64_t> trained = ramp({9, 9}, 90, 1);
  for (int i = 0; i < 20; ++i) trained.push_back(7);  // train() returned, calibrate() does not grow
  EXPECT_EQ(growing_stretch(trained), (Stretch{1, 91}));
}

TEST(Growth, NotOfWhatIsClearedNowAndThen) {
  std::vector<std::int64_t> cleared{9, 9};
  for (int epoch = 0; epoch < 3; ++epoch) {
    cleared.push_back(10);
    cleared = ramp(cleared, 19, 1);
  }
  EXPECT_FALSE(growing_stretch(cleared));
  EXPECT_TRUE(growing_stretch({cleared.begin(), cleared.begin() + 22}));  // as far as one can see
}

TEST(Analysis, TheAllocationThatFailed) {
  Loop loop;
  loop.run(2);
  loop.log.event(EMU_EVENT_OUT_OF_MEMORY, loop.forward, 2 << 20, 1 << 20);
  loop.log.event(EMU_EVENT_TORCH_OUT_OF_MEMORY, 0, 1 << 20, 7, 8);
  const auto failure = loop.analysis().failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->bytes, 2 << 20);
  EXPECT_EQ(failure->tensor_bytes, 1 << 20);
  EXPECT_EQ(failure->free_bytes, 1 << 20);
  EXPECT_TRUE(failure->raised);
  EXPECT_EQ(failure->at.step, 3);
  EXPECT_EQ(to_string(failure->place), "train.py:11 in step");
}

// In the first step nothing tells parameters from activations but where they were made.
TEST(Analysis, AStepThatEndsEarly) {
  LogBuilder builder;
  const auto main = builder.site("train.py", 4, "main");
  const auto call =
      builder.site(std::string(kSite) + "torch/nn/modules/module.py", 1776, "_call_impl", main);
  builder.allocate(0x1000, 4096, main);
  builder.allocate(0x8000, 512, call);
  const ProcessAnalysis analysis = analyse(builder.read(), {});
  EXPECT_EQ(at(analysis.devices[0].at_peak, Category::kUnknown), 4096);
  EXPECT_EQ(at(analysis.devices[0].at_peak, Category::kActivations), 512);
}

// Behind lost events the allocator's own count says what is there; parts still add up to it.
TEST(Analysis, LostEventsAreMadeUpFor) {
  Loop loop;
  loop.prepare();
  loop.step();
  loop.log.allocate(0xabc000, 100);
  for (int i = 0; i < EMU_LOG_FIRST_EVENTS; ++i) loop.log.launch("k");
  loop.log.allocate(0x777000, 1000);  // is lost
  for (int i = 0; i < EMU_LOG_NEWEST_EVENTS; ++i) loop.log.launch("k");
  loop.log.end_step();
  loop.step();
  loop.log.release(0x777000);
  loop.step();
  const ProcessLog log = loop.log.read();
  ASSERT_GT(log.lost_events, 0);
  CallSites sites(log, {});
  const Moments moments = moments_of(log, sites);
  const Blocks blocks = blocks_of(log, moments, sites);
  EXPECT_EQ(blocks.nonsense, 0);
  sweep(blocks.all, 0, [&](std::size_t event, const CategoryBytes& bytes) {
    if (event == log.gap) return;  // what is not known to live on is dropped first
    EXPECT_EQ(sum(bytes), static_cast<std::int64_t>(log.events[event].c)) << event;
  });
  const ProcessAnalysis analysis = analyse(log, {});
  EXPECT_EQ(analysis.lost_from_step, 2);
  EXPECT_EQ(analysis.lost_to_step, 2);
  RunReport report;
  report.counts.processes = 1;
  add_process(report, analysis);
  EXPECT_THAT(to_text(report, false),
              HasSubstr("the middle of the run, steps 2 to 2, is counted but not kept"));
}

RunReport report_of(Loop& loop, std::int64_t ranks = 1) {
  RunReport report;
  report.command = {"python", "train.py"};
  report.gpu = "h100-sxm-80gb";
  report.usable_bytes = 1 << 30;
  report.context_bytes = 512;
  report.counts.processes = ranks;
  report.counts.devices.push_back({0, 2 << 20, 40000, 2 << 20, 0, 0});
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    ProcessLog log = loop.log.read();
    log.rank = rank;
    log.pid = 100 + rank;
    add_process(report, analyse(log, {"/here", {}}));
  }
  return report;
}

TEST(RunText, IsShort) {
  Loop loop;
  loop.reads_loss = loop.keeps_loss = true;
  loop.run(10);
  const std::string text = to_text(report_of(loop), false);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << text;
  EXPECT_THAT(text, HasSubstr("fits h100-sxm-80gb: 1022.0 MiB to spare"));
  EXPECT_THAT(text, HasSubstr("in backward of step 10"));
  EXPECT_THAT(text, HasSubstr("waits for the device, a later step\n         1  train.py:15 in "
                              "step: cudaStreamSynchronize\n"));
  EXPECT_THAT(text, HasSubstr("growth: 512 B more at the end of each step, over 10 steps\n"));
  EXPECT_THAT(text, HasSubstr("512 B a step  train.py:12 in step (8 blocks, 4.0 KiB by step 10"));
  EXPECT_THAT(to_text(report_of(loop), true), HasSubstr("gemm_backward"));
}

TEST(RunText, RanksThatDidTheSameAreOne) {
  Loop loop;
  loop.run(4);
  RunReport report = report_of(loop, 4);
  ASSERT_EQ(report.processes.size(), 1u);
  EXPECT_THAT(to_text(report, false), HasSubstr("ranks 0 to 3, alike"));
  loop.step();
  ProcessLog other = loop.log.read();
  other.rank = 4;
  add_process(report, analyse(other, {"/here", {}}));
  ASSERT_EQ(report.processes.size(), 2u);
  EXPECT_THAT(to_text(report, false), HasSubstr("rank 4: peak"));
}

TEST(RunText, NoStepsAndNoDevice) {
  RunReport report;
  EXPECT_EQ(to_text(report, false), "  the program did not use the device\n");
  Loop loop;
  loop.prepare();
  EXPECT_THAT(to_text(report_of(loop), false), HasSubstr("no end of a step was seen"));
}

TEST(RunJson, TotalsAreTheSumsOfTheirParts) {
  Loop loop;
  loop.keeps_loss = true;
  loop.run(10);
  const auto json = nlohmann::json::parse(to_json(report_of(loop)));
  const auto& process = json["dry_run"]["processes"][0];
  const auto& peak = process["devices"][0]["peak"];
  std::int64_t categories = 0, places = 0;
  for (const auto& [name, bytes] : peak["categories"].items())
    categories += bytes.get<std::int64_t>();
  for (const auto& place : peak["places"]) places += place["bytes"].get<std::int64_t>();
  EXPECT_EQ(categories, peak["allocated_bytes"]);
  EXPECT_EQ(places, peak["allocated_bytes"]);
  for (const auto& point : process["devices"][0]["timeline"]) {
    std::int64_t total = 0;
    for (const auto& [name, bytes] : point["categories"].items())
      total += bytes.get<std::int64_t>();
    EXPECT_EQ(total, point["allocated_bytes"]);
  }
  EXPECT_EQ(json["tool"], "forerun dry-run");
  EXPECT_EQ(json["dry_run"]["devices"][0]["peak_total_bytes"], (2 << 20) + 512);
  EXPECT_EQ(process["growth"]["grows"], true);
  EXPECT_EQ(process["growth"]["places"][0]["place"]["line"], 12);
  EXPECT_EQ(process["failed_allocation"], nullptr);
  EXPECT_EQ(process["steps"]["later_median"]["from_step"], 3);
  EXPECT_EQ(to_json(report_of(loop)), to_json(report_of(loop)));
}

TEST(Trace, IsValidAndBounded) {
  Loop loop;
  loop.reads_loss = true;
  loop.run(20);
  Trace whole;
  whole.add(loop.log.read(), {"/here", {}}, 1);
  const auto json = nlohmann::json::parse(whole.text());
  EXPECT_EQ(json["otherData"]["entries left out"], 0);
  int steps = 0, counters = 0, waits = 0;
  for (const auto& entry : json["traceEvents"]) {
    ASSERT_TRUE(entry.contains("ph"));
    ASSERT_TRUE(entry["ph"] == "M" || entry["ts"].is_number());
    if (entry["ph"] == "X" && entry["name"].get<std::string>().starts_with("step ")) ++steps;
    if (entry["ph"] == "C") ++counters;
    if (entry["name"] == "waits: cudaStreamSynchronize") ++waits;
  }
  EXPECT_EQ(steps, 21);  // and what follows the last
  EXPECT_GT(counters, 100);
  EXPECT_EQ(waits, 20);
  Trace small(100);
  small.add(loop.log.read(), {"/here", {}}, 2);
  small.add(loop.log.read(), {"/here", {}}, 1);
  const auto bounded = nlohmann::json::parse(small.text());
  EXPECT_EQ(bounded["traceEvents"].size(), 100u);
  EXPECT_GT(bounded["otherData"]["entries left out"].get<int>(), 100);
}

// Paths may be any bytes; both outputs stay UTF-8.
TEST(Outputs, AreTextWhateverAFileIsCalled) {
  Loop loop;
  loop.run(1);
  loop.log.wait(loop.log.site("b\xff\"d.py", 1, "f"));
  RunReport report = report_of(loop);
  EXPECT_FALSE(nlohmann::json::parse(to_json(report), nullptr, false).is_discarded());
  Trace trace;
  trace.add(loop.log.read(), {}, 1);
  EXPECT_FALSE(nlohmann::json::parse(trace.text(), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace forerun::dryrun
