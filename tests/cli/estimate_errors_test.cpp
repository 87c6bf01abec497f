#include "tests/cli/spec_errors.h"

namespace forerun::test {

INSTANTIATE_TEST_SUITE_P(Estimate, SpecErrors, ::testing::Values(SpecTool{"forerun-estimate", {}}));

}  // namespace forerun::test
