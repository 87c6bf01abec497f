#include "verifier/compare/compare.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::compare {
namespace {

const std::vector<StepMemory> kSteps{{1'972'996'096, 3'009'413'120, 387'610'112},
                                     {2'006'658'048, 3'009'413'120, 387'610'112}};

Estimate predicted() {
  Estimate estimate;
  estimate.spec_path = "mlp.yaml";
  estimate.gpu = "h100-sxm-80gb";
  estimate.framework = "pytorch-2.11";
  estimate.memory.parameter_count = 4'207'626;
  estimate.memory.parameters_bytes = 16'830'504;
  estimate.memory.steps = kSteps;
  return estimate;
}

Measurement measured() {
  Measurement measurement;
  measurement.spec_path = "mlp.yaml";
  measurement.device = "emulated";
  measurement.device_name = "NVIDIA H100 80GB HBM3";
  measurement.framework = "pytorch-2.11";
  measurement.parameter_count = 4'207'626;
  measurement.parameters_bytes = 16'830'504;
  measurement.steps = kSteps;
  return measurement;
}

std::string golden(const std::string& name) {
  return FORERUN_SOURCE_DIR "/tests/verifier/compare/golden/" + name;
}

TEST(Compare, EqualIsWithinAndSaysSo) {
  const Report report = compare(predicted(), measured());
  EXPECT_EQ(report.rows.size(), 8u);
  EXPECT_TRUE(report.within);
  EXPECT_EQ(verdict(report), "equal to the byte (8 rows)");
}

TEST(Compare, OneByteIsOutside) {
  Measurement off = measured();
  off.steps[1].peak_reserved_bytes += 1;
  const Report report = compare(predicted(), off);
  EXPECT_FALSE(report.within);
  EXPECT_EQ(verdict(report),
            "outside: 1 of 8 rows differ, first steps[1].peak_reserved_bytes by -1");
  EXPECT_FALSE(report.rows[6].ok);
  EXPECT_LT(report.rows[6].error, 0);
}

TEST(Compare, AToleranceIsForStepsNotForParameters) {
  Measurement off = measured();
  off.steps[0].peak_allocated_bytes = 1'980'000'000;
  EXPECT_TRUE(compare(predicted(), off, 0.01).within);
  EXPECT_EQ(verdict(compare(predicted(), off, 0.01)), "within 1 % (8 rows)");
  EXPECT_FALSE(compare(predicted(), off, 0.001).within);
  off = measured();
  off.parameter_count += 1;
  EXPECT_FALSE(compare(predicted(), off, 0.5).within);
}

TEST(Compare, WithoutStepsOnlyParametersAreRows) {
  Measurement cpu = measured();
  cpu.steps.clear();
  const Report report = compare(predicted(), cpu);
  EXPECT_EQ(report.rows.size(), 2u);
  EXPECT_TRUE(report.within);
}

TEST(Compare, AStepThatNobodyPredictedIsNotOk) {
  Measurement longer = measured();
  longer.steps.push_back(kSteps.back());
  const Report report = compare(predicted(), longer);
  EXPECT_FALSE(report.within);
  EXPECT_EQ(verdict(report), "outside: step 3 was measured but not predicted");
}

TEST(Compare, NothingMeasuredWhereSomethingWasPredicted) {
  Measurement none = measured();
  none.steps[0].end_allocated_bytes = 0;
  const Report report = compare(predicted(), none, 0.5);
  EXPECT_FALSE(report.within);
  EXPECT_NE(render_json({report}).find("\"error\": null"), std::string::npos);
}

TEST(Compare, Text) {
  Measurement off = measured();
  off.steps[1].peak_allocated_bytes += 1 << 20;
  off.notes = {"a note"};
  Estimate gap = predicted();
  gap.unmodelled = {"cudnn workspace"};
  test::expect_golden(golden("report.txt"),
                      render_text({compare(predicted(), measured()), compare(gap, off)}));
}

TEST(Compare, Json) {
  test::expect_golden(golden("report.json"), render_json({compare(predicted(), measured())}));
}

}  // namespace
}  // namespace forerun::compare
