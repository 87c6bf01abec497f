// forerun-estimate through its command line: reports, exit codes, and every class of bad input.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace forerun {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kTool = FORERUN_BINARY_DIR "/bin/forerun-estimate";
// The test runs in the source folder, so that reports name relative paths.
const std::string kExample = "examples/step_peak.yaml";

CommandResult run(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), kTool);
  return test::run_command(arguments, input);
}

// Bad input: exit 2, nothing on stdout, one clear line on stderr, no crash.
void expect_refused(const CommandResult& result, const std::string& says) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("error: "));
  EXPECT_THAT(result.err, HasSubstr(says));
}

std::string small_spec(const std::string& rest = "") {
  return "model: [{linear: {in: 64, out: 32}}, relu, {linear: {in: 32, out: 10}}]\ninput: {shape: "
         "[64]}\ntarget: {shape: []}\nbatch_size: 8\noptimizer: adamw\n" +
         rest;
}

TEST(Report, TextIsGolden) {
  const CommandResult result = run({kExample});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  test::expect_golden(FORERUN_SOURCE_DIR "/tests/estimator/golden/step_peak.txt", result.out);
}

TEST(Report, JsonIsGolden) {
  const CommandResult result =
      run({"examples/step_peak_fp32.yaml", "--format", "json", "--gpu", "a100-sxm-80gb"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  test::expect_golden(FORERUN_SOURCE_DIR "/tests/estimator/golden/step_peak_fp32_a100.json",
                      result.out);
}

TEST(Report, SameInputSameBytes) {
  EXPECT_EQ(run({kExample, "--format", "json"}).out, run({kExample, "--format", "json"}).out);
}

TEST(Report, SeveralSpecsAreAnArrayInOrder) {
  const CommandResult result =
      run({"examples/step_peak_fp32.yaml", "examples/step_peak_bf16.yaml", "--format", "json"});
  const auto reports = nlohmann::json::parse(result.out);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0]["estimate"]["memory"]["steps"][0]["peak_allocated_bytes"], 1'972'996'096);
  EXPECT_EQ(reports[1]["estimate"]["memory"]["steps"][0]["peak_allocated_bytes"], 1'307'148'800);
}

TEST(Report, TotalsAreSumsOfTheirParts) {
  const auto report = nlohmann::json::parse(run({kExample, "--format", "json"}).out);
  const auto& memory = report["estimate"]["memory"];
  auto sum = [](const nlohmann::json& parts) {
    std::int64_t bytes = 0;
    for (const auto& part : parts) bytes += part["bytes"].get<std::int64_t>();
    return bytes;
  };
  EXPECT_EQ(sum(memory["activations"]), memory["activations_bytes"]);
  EXPECT_EQ(sum(memory["workspaces"]), memory["workspaces_bytes"]);
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(sum(memory["peaks"][step]["alive"]), memory["steps"][step]["peak_allocated_bytes"]);
}

TEST(Report, GoesToAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/report.json";
  const CommandResult result = run({kExample, "--format", "json", "--output", path});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(test::read_all(path), run({kExample, "--format", "json"}).out);
}

TEST(ExitStatus, IsOneWhenTheStepDoesNotFit) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "big.yaml", small_spec("gpu: t4\n")
                      .replace(small_spec().find("batch_size: 8"), 13, "batch_size: 90000000"));
  const CommandResult result = run({path});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("does not fit t4"));
  EXPECT_EQ(run({path, "--gpu", "h200-sxm"}).exit_code, 0);
}

TEST(Memory, MayBeAnotherAmount) {
  EXPECT_EQ(run({kExample, "--memory", "4GiB"}).exit_code, 0);
  const CommandResult full = run({kExample, "--memory", "1.5GiB"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.out, HasSubstr("does not fit h100-sxm-80gb"));
  expect_refused(run({kExample, "--memory", "lots"}), "--memory 'lots' is no amount of memory");
  expect_refused(run({kExample, "--memory", "1KiB"}),
                 "more than the 512.0 MiB a CUDA context takes");
}

// Between the two: the cache has to be emptied on the way, and less is reserved than a larger card
// would see.
TEST(Memory, AFullCardEmptiesItsCacheFirst) {
  const auto tight = nlohmann::json::parse(
      run({"examples/step_peak_fp32.yaml", "--memory", "3200MiB", "--format", "json"}).out);
  EXPECT_EQ(tight["estimate"]["memory"]["fits"], true);
  EXPECT_LT(tight["estimate"]["memory"]["peak_reserved_bytes"], 3'009'413'120);
}

TEST(StopAfter, PrintsTheStage) {
  EXPECT_THAT(
      run({kExample, "--stop-after", "graph"}).out,
      HasSubstr("%2 = linear(%0, [2048, 1024], [2048]) : float32[65536, 2048]  # linear 1"));
  EXPECT_THAT(run({kExample, "--stop-after", "schedule"}).out,
              HasSubstr("linear 2 reduction scratch"));
  EXPECT_THAT(run({kExample, "--stop-after", "trace"}).out,
              HasSubstr("4194304 -> 5242880  linear 2 weight gradient"));
  expect_refused(run({kExample, "--stop-after", "lunch"}), "--stop-after 'lunch' is not known");
}

TEST(Explain, LayersAndGpus) {
  EXPECT_THAT(run({"--explain", "linear"}).out, HasSubstr("# linear"));
  EXPECT_THAT(run({"--explain", "h100-sxm-80gb"}).out,
              HasSubstr("multiprocessors                   132"));
  EXPECT_THAT(run({"--explain", ""}).out, HasSubstr("layer_norm\n"));
  expect_refused(run({"--explain", "linaer"}), "did you mean 'linear'?");
}

TEST(Help, NamesEveryOption) {
  const CommandResult result = run({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* option :
       {"--gpu", "--format", "--output", "--memory", "--stop-after", "--explain", "--version"})
    EXPECT_THAT(result.out, HasSubstr(option));
}

TEST(Errors, Usage) {
  expect_refused(run({}), "no spec is named");
  expect_refused(run({kExample, "--fromat", "json"}), "did you mean '--format'?");
  expect_refused(run({kExample, "--format", "xml"}), "--format 'xml' is not known");
  expect_refused(run({kExample, "--gpu", "h100-sxm-80g"}), "h100-sxm-80gb");
  expect_refused(run({kExample, "--gpu", ""}), "accepted: ");
  expect_refused(run({kExample, "--stop-after", ""}), "--stop-after '' is not known");
}

TEST(Errors, Files) {
  const TemporaryFolder folder;
  expect_refused(run({folder.path() + "/gone.yaml"}), "cannot open: No such file or directory");
  expect_refused(run({folder.path()}), "is a directory");
  expect_refused(run({folder.write("binary.yaml", std::string("\x7f"
                                                              "ELF\0\0\1",
                                                              7))}),
                 "is not a text file");
  expect_refused(run({folder.write("broken.yaml", "model: [")}), "is not valid YAML");
  expect_refused(run({folder.write("empty.yaml", "")}), "is empty");
  expect_refused(run({folder.write("huge.yaml", std::string(5 << 20, '#'))}), "file is too large");
  expect_refused(run({folder.write("deep.yaml", std::string(200'000, '['))}), "");
  expect_refused(run({"/dev/null/x"}), "cannot open");
  expect_refused(run({"/dev/zero"}), "not a regular file");
}

TEST(Errors, Specs) {
  const TemporaryFolder folder;
  expect_refused(run({folder.write("gpu.yaml", small_spec("gpu: rtx-490\n"))}),
                 "gpu.yaml:6:6: error:");
  expect_refused(run({folder.write("a.yaml", small_spec("after: a.yaml\n"))}),
                 "a.yaml:6:8: error: after: 'a.yaml' runs before itself");
  expect_refused(run({folder.write("key.yaml", small_spec("bathc_size: 3\n"))}),
                 "key.yaml:6:1: error: unknown key 'bathc_size'");
  const std::string t4 = folder.write("t4.yaml", small_spec("gpu: t4\n"));
  expect_refused(run({kExample, t4}),
                 "specs that share a process name two GPUs: 'h100-sxm-80gb' and 't4'");
  EXPECT_EQ(run({kExample, t4, "--gpu", "t4"}).exit_code, 0);
}

TEST(Errors, Output) {
  const TemporaryFolder folder;
  expect_refused(run({kExample, "--output", folder.path() + "/no/such/folder/report.txt"}),
                 "cannot write");
  expect_refused(run({kExample, "--output", folder.path()}), "cannot write: is a directory");
}

TEST(Input, MayComeFromStandardInput) {
  const CommandResult result = run({"-"}, small_spec());
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace forerun
