// What the tape writes down, and the step it writes down once more without a run.
#include "estimator/ops/tape.h"

#include <gtest/gtest.h>

namespace forerun::ops {
namespace {

// One step of a run that keeps what it made in `kept`, from step to step.
void run_step(Tape& tape, int step, int& kept) {
  tape.begin_step(step);
  tape.enter(Phase::Forward, "forward", "linear 1", "linear");
  const int made = tape.allocate(4096, Category::Activations, "linear 1", "output");
  if (kept == Tape::kNothing) kept = tape.allocate(512, Category::Workspaces, "", "cublas");
  tape.launch("addmm", DType::Float32, 2, 3);
  tape.end_forward();
  tape.enter(Phase::Backward, "backward", "linear 1", "addmm");
  const int gradient = tape.allocate(8192, Category::Gradients, "linear 1", "weight gradient");
  tape.free(made);
  tape.free(gradient);
  tape.end_step();
}

TEST(Tape, PutsNamesTogetherWhenAsked) {
  Tape tape;
  int kept = Tape::kNothing;
  run_step(tape, 1, kept);
  const Recording& recording = tape.recording();
  EXPECT_EQ(recording.text(recording.allocations[0]), "linear 1 output");
  EXPECT_EQ(recording.text(recording.allocations[1]), "cublas");
  EXPECT_EQ(recording.op_text(recording.events[1].op), "forward of linear 1: linear");
  EXPECT_EQ(recording.op_text(-1), "");
  tape.enter(Phase::Optimizer, "zero_grad");
  EXPECT_EQ(tape.owner(), -1);
  EXPECT_EQ(recording.op_text(static_cast<int>(recording.ops.size()) - 1), "zero_grad");
}

TEST(Tape, RepeatsAStepAsTheRunWouldHaveDone) {
  Tape ran, repeated;
  int kept = Tape::kNothing, kept_of_repeated = Tape::kNothing;
  for (int step = 1; step <= 2; ++step) {
    run_step(ran, step, kept);
    run_step(repeated, step, kept_of_repeated);
  }
  ASSERT_TRUE(repeated.step_left_no_trace());
  run_step(ran, 3, kept);
  repeated.repeat_step(3);
  EXPECT_TRUE(repeated.step_left_no_trace());
  const Recording& a = ran.recording();
  const Recording& b = repeated.recording();
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].kind, b.events[i].kind) << i;
    EXPECT_EQ(a.events[i].subject, b.events[i].subject) << i;
    EXPECT_EQ(a.events[i].phase, b.events[i].phase) << i;
    EXPECT_EQ(a.op_text(a.events[i].op), b.op_text(b.events[i].op)) << i;
  }
  ASSERT_EQ(a.allocations.size(), b.allocations.size());
  for (std::size_t i = 0; i < a.allocations.size(); ++i) {
    EXPECT_EQ(a.allocations[i].bytes, b.allocations[i].bytes) << i;
    EXPECT_EQ(a.text(a.allocations[i]), b.text(b.allocations[i])) << i;
  }
  EXPECT_EQ(b.kernels.size(), 1u);
}

TEST(Tape, SeesWhatAStepLeavesBehind) {
  Tape tape;
  int kept = Tape::kNothing;
  run_step(tape, 1, kept);
  EXPECT_FALSE(tape.step_left_no_trace());  // the workspace stays
  run_step(tape, 2, kept);
  EXPECT_TRUE(tape.step_left_no_trace());
  tape.begin_step(3);
  tape.free(kept);
  EXPECT_FALSE(tape.step_left_no_trace());  // something older went
}

}  // namespace
}  // namespace forerun::ops
