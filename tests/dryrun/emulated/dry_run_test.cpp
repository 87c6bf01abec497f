// forerun-dry-run through its command line, with real PyTorch programs on the emulated device.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kLoop = "tests/dryrun/programs/loop.py";

CommandResult dry_run(const std::vector<std::string>& options,
                      const std::vector<std::string>& command) {
  std::vector<std::string> argv{FORERUN_BINARY_DIR "/bin/forerun-dry-run"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return run_command(argv, "", 300);
}

// The loop with its report as JSON, in a file.
struct Reported {
  CommandResult result;
  json whole;
  json process() const { return whole["dry_run"]["processes"][0]; }
};

Reported loop(const std::vector<std::string>& wishes, std::vector<std::string> options = {}) {
  const TemporaryFolder folder;
  options.insert(options.end(), {"--format", "json", "--output", folder.path() + "/report.json"});
  std::vector<std::string> command{FORERUN_PYTHON, kLoop};
  command.insert(command.end(), wishes.begin(), wishes.end());
  Reported run;
  run.result = dry_run(options, command);
  run.whole = json::parse(read_all(folder.path() + "/report.json"), nullptr, false);
  EXPECT_FALSE(run.whole.is_discarded()) << run.result.err;
  return run;
}

// Waits of a place in a later step, 0 when it is not named.
int waits_at(const json& process, int line) {
  int waits = 0;
  for (const json& wait : process["waits"])
    if (wait.contains("place") && wait["place"]["file"] == kLoop && wait["place"]["line"] == line)
      waits += wait["count_per_step"].get<int>();
  return waits;
}

TEST(DryRun, AnItemPerStepIsOneWaitAtItsLine) {
  const Reported with = loop({"item"});
  EXPECT_EQ(with.result.exit_code, 0) << with.result.err;
  EXPECT_EQ(with.result.out, "done\n");
  EXPECT_EQ(with.process()["steps"]["ended"], 10);
  EXPECT_EQ(with.process()["steps"]["later_median"]["blocking_calls"], 1);
  EXPECT_EQ(with.process()["steps"]["later_median"]["computed_reads"], 1);
  EXPECT_EQ(waits_at(with.process(), 24), 1);
  EXPECT_EQ(with.process()["growth"]["grows"], false);
  const Reported without = loop({});
  EXPECT_EQ(without.process()["steps"]["later_median"]["blocking_calls"], 0);
  EXPECT_EQ(waits_at(without.process(), 24), 0);
  EXPECT_EQ(without.process()["growth"]["grows"], false);
}

TEST(DryRun, KeptLossesGrowAtTheirLine) {
  const CommandResult text = dry_run({}, {FORERUN_PYTHON, kLoop, "keep"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.err, HasSubstr("growth: 512 B more at the end of each step, over 10 steps"));
  EXPECT_THAT(text.err, HasSubstr("512 B a step  tests/dryrun/programs/loop.py:19 in step"));
  EXPECT_LE(std::count(text.err.begin(), text.err.end(), '\n'), 45) << text.err;
}

TEST(DryRun, PartsAddUpAndAreToldApart) {
  const json process = loop({}).process();
  const json& peak = process["devices"][0]["peak"];
  std::int64_t total = 0;
  for (const auto& [name, bytes] : peak["categories"].items()) total += bytes.get<std::int64_t>();
  EXPECT_EQ(total, peak["allocated_bytes"]);
  // Weights and biases in 512 B blocks: 256 * 512, 512, 512 * 10 and 10 floats.
  const std::int64_t parameters = 524288 + 2048 + 20480 + 512;
  EXPECT_EQ(peak["categories"]["parameters_bytes"], parameters);
  EXPECT_EQ(peak["categories"]["gradients_bytes"], parameters);
  EXPECT_EQ(peak["categories"]["optimizer_state_bytes"], 2 * parameters);
  EXPECT_EQ(process["unreadable_entries"], 0);
}

TEST(DryRun, ThePeakIsTheAllocatorsOwn) {
  const Reported run = loop({});
  EXPECT_EQ(run.process()["devices"][0]["peak"]["allocated_bytes"],
            run.whole["dry_run"]["devices"][0]["peak_allocated_bytes"]);
}

TEST(DryRun, WhatDoesNotFitIsNamedWithItsLine) {
  const Reported run = loop({"too much"});
  EXPECT_EQ(run.result.exit_code, 3);
  EXPECT_EQ(run.whole["dry_run"]["fits"], false);
  const json failed = run.process()["failed_allocation"];
  EXPECT_EQ(failed["driver_request_bytes"], 200ll << 30);
  EXPECT_EQ(failed["out_of_memory_error"], true);
  EXPECT_EQ(failed["step"], 4);
  EXPECT_EQ(failed["place"]["file"], kLoop);
  EXPECT_EQ(failed["place"]["line"], 34);
  const CommandResult text = dry_run({}, {FORERUN_PYTHON, kLoop, "too much"});
  EXPECT_EQ(text.exit_code, 3);
  EXPECT_THAT(text.err, HasSubstr("does not fit h100-sxm-80gb"));
  EXPECT_THAT(text.err, HasSubstr("loop.py:34 in step, in"));
  EXPECT_THAT(text.err, HasSubstr("PyTorch raised OutOfMemoryError"));
}

TEST(DryRun, StopsAfterSteps) {
  const Reported run = loop({}, {"--stop-after-steps", "4"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.err;
  EXPECT_THAT(run.result.out, Not(HasSubstr("done")));
  EXPECT_EQ(run.process()["steps"]["ended"], 4);
}

TEST(DryRun, AnInterruptStillReports) {
  const Reported run = loop({"interrupt"});
  EXPECT_EQ(run.result.exit_code, 130) << run.result.err;
  EXPECT_EQ(run.process()["steps"]["ended"], 4);
}

TEST(DryRun, AKilledProgramStillReports) {
  const Reported run = loop({"killed"});
  EXPECT_EQ(run.result.exit_code, 137);
  EXPECT_EQ(run.process()["steps"]["ended"], 4);
}

TEST(DryRun, CopiesSayHowAndHowMuch) {
  const json step = loop({"copies"}).process()["steps"]["later_median"];
  EXPECT_EQ(step["to_device_bytes"], 64 * 256 * 4);
  EXPECT_EQ(step["to_device_pageable_bytes"], 0);
  EXPECT_EQ(step["blocking_calls"], 0);
}

TEST(DryRun, TheTraceLoads) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.json";
  const CommandResult result = dry_run({"--trace", path}, {FORERUN_PYTHON, kLoop, "item"});
  EXPECT_EQ(result.exit_code, 0);
  const json trace = json::parse(read_all(path), nullptr, false);
  ASSERT_FALSE(trace.is_discarded());
  int steps = 0, counters = 0;
  for (const json& entry : trace["traceEvents"]) {
    ASSERT_TRUE(entry["ph"] == "M" || entry["ts"].is_number()) << entry;
    if (entry["ph"] == "X" && entry["name"].get<std::string>().starts_with("step ")) ++steps;
    if (entry["ph"] == "C") ++counters;
  }
  EXPECT_GE(steps, 10);
  EXPECT_GT(counters, 100);
}

TEST(DryRun, WithoutEventsTheTotalsStay) {
  const CommandResult result = dry_run({"--no-events"}, {FORERUN_PYTHON, kLoop});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("PyTorch's allocator:"));
  EXPECT_THAT(result.err, Not(HasSubstr("growth")));
}

TEST(DryRun, ReportsAreTheSameTwice) {
  EXPECT_EQ(loop({"item"}).whole.dump(1), loop({"item"}).whole.dump(1));
}

TEST(DryRun, ALibTorchProgram) {
  const CommandResult result =
      dry_run({"--format", "json"}, {FORERUN_BINARY_DIR "/tests/emulated_libtorch_step"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json whole = json::parse(result.err.substr(result.err.find("\n{") + 1), nullptr, false);
  ASSERT_FALSE(whole.is_discarded()) << result.err;
  const json process = whole["dry_run"]["processes"][0];
  EXPECT_EQ(process["steps"]["ended"], 3);
  EXPECT_EQ(process["devices"][0]["peak"]["allocated_bytes"], 71613952);
}

}  // namespace
}  // namespace forerun::test
