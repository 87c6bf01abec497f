// The event log as values, whatever a process left in it.
#include "verifier/dryrun/log_reader.h"

#include <cstddef>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dryrun/log_builder.h"
#include "verifier/dryrun/analysis.h"
#include "verifier/dryrun/run_report.h"
#include "verifier/dryrun/trace.h"

namespace forerun::dryrun {
namespace {

using test::LogBuilder;

TEST(LogReader, AnUntouchedLogHasNoProcess) {
  const Result<SharedLog> log = SharedLog::create(0);
  ASSERT_TRUE(log);
  EXPECT_TRUE(log->processes().empty());
  EXPECT_EQ(log->lost_processes(), 0);
}

TEST(LogReader, ReadsWhatAProcessWrote) {
  LogBuilder builder;
  const std::uint32_t main = builder.site("train.py", 3, "main");
  const std::uint32_t step = builder.site("train.py", 9, "step", main);
  builder.wait(step);
  builder.end_step();
  const ProcessLog log = builder.read();
  EXPECT_EQ(log.pid, 42);
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.name(log.events[0].a), "cudaStreamSynchronize");
  EXPECT_EQ(log.name(log.sites[log.events[0].site].file), "train.py");
  EXPECT_EQ(log.sites[step].caller, main);
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(log.steps[0].blocking_calls, 1u);
  EXPECT_EQ(log.gap, log.events.size());
  EXPECT_EQ(log.nonsense, 0);
  EXPECT_EQ(log.name(99999), "");
}

TEST(LogReader, LeavesOutWhatMakesNoSense) {
  LogBuilder builder;
  builder.wait(builder.site("train.py", 3, "main"));
  builder.event(0, 0);                        // counted, never written: no harm
  builder.event(99, 0);                       // of no kind
  builder.event(EMU_EVENT_BLOCK, 123456, 0);  // of a site that is not there
  builder.device = 77;
  builder.event(EMU_EVENT_BLOCK, 0);
  builder.device = 0;
  builder.area().site[1].file = 1u << 31;
  builder.area().name_at[1] = 0xffffffffu;
  builder.area().steps = 2;  // never written
  const ProcessLog log = builder.read();
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[1].site, 0u);
  EXPECT_EQ(log.sites[1].file, 0u);
  EXPECT_TRUE(log.steps.empty());
  EXPECT_EQ(log.nonsense, 2 + 1 + 1 + 2);
}

// A text that fills the last byte has no end.
TEST(LogReader, NamesEndWithTheirText) {
  LogBuilder builder;
  builder.name("a");
  std::memset(builder.area().text + EMU_LOG_TEXT_BYTES - 3, 'x', 3);
  builder.area().name_at[1] = EMU_LOG_TEXT_BYTES - 3;
  EXPECT_EQ(builder.read().name(1), "xxx");
}

TEST(LogReader, KeepsTheFirstAndTheNewestEvents) {
  LogBuilder builder;
  const std::uint64_t lost = 1000;
  const std::uint64_t written = EMU_LOG_FIRST_EVENTS + EMU_LOG_NEWEST_EVENTS + lost;
  for (std::uint64_t n = 0; n < written; ++n) builder.event(EMU_EVENT_LAUNCH, 0, 0, n);
  const ProcessLog log = builder.read();
  EXPECT_EQ(log.lost_events, static_cast<std::int64_t>(lost));
  ASSERT_EQ(log.gap, static_cast<std::size_t>(EMU_LOG_FIRST_EVENTS));
  EXPECT_EQ(log.events[log.gap - 1].b, EMU_LOG_FIRST_EVENTS - 1u);
  EXPECT_EQ(log.events[log.gap].b, EMU_LOG_FIRST_EVENTS + lost);
  EXPECT_EQ(log.events.back().b, written - 1);
}

TEST(LogReader, KeepsTheFirstAndTheNewestSteps) {
  LogBuilder builder;
  for (int i = 0; i < 10000; ++i) builder.end_step();
  const ProcessLog log = builder.read();
  EXPECT_EQ(log.steps_ended, 10000);
  ASSERT_EQ(log.steps.size(), static_cast<std::size_t>(EMU_LOG_STEPS));
  EXPECT_EQ(log.steps.front().number, 1u);
  EXPECT_EQ(log.steps[2047].number, 2048u);
  EXPECT_EQ(log.steps[2048].number, 10000u - 2047);
  EXPECT_EQ(log.steps.back().number, 10000u);
}

// Counters far beyond what fits, and contents at random: every reader ends, and answers.
TEST(LogReader, SurvivesScribbles) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 6; ++round) {
    LogBuilder builder;
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t site = builder.site("f.py", static_cast<std::uint32_t>(i), "f");
      builder.allocate(static_cast<std::uint64_t>(i % 50) + 1, 512, site);
      if (i % 20 == 0) builder.end_step();
    }
    auto* bytes = reinterpret_cast<unsigned char*>(&builder.area());
    const std::size_t header = offsetof(EmuProcessLog, step);
    for (std::size_t i = 0; i < header && round > 0; ++i)
      bytes[i] = static_cast<unsigned char>(random());
    const std::size_t kinds[] = {offsetof(EmuProcessLog, name_at), offsetof(EmuProcessLog, site),
                                 offsetof(EmuProcessLog, first), offsetof(EmuProcessLog, step)};
    for (const std::size_t at : kinds)
      for (int i = 0; i < 4000; ++i)
        bytes[at + random() % 12000] = static_cast<unsigned char>(random() % 40);
    builder.area().events = round < 3 ? 5000 : random();
    const ProcessLog log = builder.read();
    const PathStyle style{"/", {}};
    RunReport report;
    report.counts.processes = 1;
    add_process(report, analyse(log, style));
    EXPECT_FALSE(to_text(report, true).empty());
    EXPECT_FALSE(to_json(report).empty());
    Trace trace(1000);
    trace.add(log, style, 1);
    EXPECT_FALSE(trace.text().empty());
  }
}

}  // namespace
}  // namespace forerun::dryrun
