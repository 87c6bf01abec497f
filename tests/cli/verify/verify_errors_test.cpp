#include "tests/cli/spec_errors.h"

namespace forerun::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Verify, SpecErrors,
                         ::testing::Values(SpecTool{"forerun-verify", {"--device", "cpu"}}));

TEST(VerifyErrors, UnknownDevice) {
  const TemporaryFolder folder;
  const std::string spec = folder.write("spec.yaml", kGoodSpec);
  expect_refused(run_tool({tool("forerun-verify"), spec, "--device", "tpu"}), "tpu");
}

TEST(VerifyErrors, UnknownCheck) {
  expect_refused(run_tool({tool("forerun-verify"), "--check", "overfitt"}), "overfitt");
}

TEST(VerifyErrors, ProbeRefusesBadSizes) {
  for (const char* batch : {"0", "-1", "many", "99999999999999999999"}) {
    expect_refused(run_tool({tool("forerun-verify"), "probe", "--batch", batch}), "batch");
  }
}

}  // namespace
}  // namespace forerun::test
