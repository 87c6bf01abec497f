// Every <case>.py below tests/lowering prints as its <case>.tir says, and keeps the IR's
// invariants.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyzer/ir/ir.h"
#include "analyzer/ir/verify.h"
#include "analyzer/python/frontend.h"
#include "tests/support/golden.h"

namespace forerun {
namespace {

std::vector<std::string> cases() {
  std::vector<std::string> found;
  const std::string root = std::string(FORERUN_SOURCE_DIR) + "/tests/lowering";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".py") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class PythonLowering : public testing::TestWithParam<std::string> {};

TEST_P(PythonLowering, PrintsAsItsTwinSays) {
  const std::string file = std::filesystem::path(GetParam()).filename().string();
  const Result<ir::Program> program = python::lower(test::read_all(GetParam()), file);
  ASSERT_TRUE(program) << to_string(program.error());
  for (const Error& broken : ir::verify(*program)) ADD_FAILURE() << to_string(broken);
  EXPECT_TRUE(program->notes.empty()) << program->notes.front();
  test::expect_golden(std::filesystem::path(GetParam()).replace_extension(".tir").string(),
                      ir::print(*program));
}

INSTANTIATE_TEST_SUITE_P(Cases, PythonLowering, testing::ValuesIn(cases()), test_name);

}  // namespace
}  // namespace forerun
