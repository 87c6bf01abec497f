// Twins and C++-only cases against LibTorch's own headers.
#include <algorithm>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "analyzer/cpp/frontend.h"
#include "tests/support/golden.h"

namespace fs = std::filesystem;
using forerun::cpp::Lowered;
using forerun::cpp::Options;

namespace {

// One folder for every test of this build: the precompiled header takes longer than all the tests.
Options with_libtorch() {
  Options options;
  options.torch_roots = {FORERUN_TORCH_ROOT};
  options.cache_path = std::string(FORERUN_BINARY_DIR) + "/tests/precompiled";
  return options;
}

std::vector<std::string> cases_in(const std::string& folder) {
  std::vector<std::string> stems;
  for (const auto& entry : fs::directory_iterator(std::string(FORERUN_SOURCE_DIR) + "/" + folder)) {
    const fs::path& path = entry.path();
    const bool test = path.string().ends_with("_test.cpp");
    if (path.extension() == ".cpp" && !test)
      stems.push_back((path.parent_path() / path.stem()).string());
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

void expect_lowered(const std::string& stem) {
  SCOPED_TRACE(stem);
  const auto lowered = forerun::cpp::lower(stem + ".cpp", with_libtorch());
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  EXPECT_TRUE(lowered->program.notes.empty()) << lowered->program.notes.front();
  forerun::test::expect_golden(stem + ".tir", print(lowered->program));
}

class WithLibTorch : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(FORERUN_TORCH_ROOT).empty())
      GTEST_SKIP() << "LibTorch's headers were not found when this was configured";
  }
};

}  // namespace

TEST_F(WithLibTorch, LowersTwinsAsPythonDoes) {
  const auto stems = cases_in("tests/lowering");
  ASSERT_GE(stems.size(), 8U);
  for (const std::string& stem : stems) expect_lowered(stem);
}

TEST_F(WithLibTorch, LowersWhatOnlyCppWrites) {
  for (const std::string& stem : cases_in("tests/lowering/cpp")) expect_lowered(stem);
}

TEST_F(WithLibTorch, NamesTheVersionItFound) {
  const auto lowered = forerun::cpp::lower(
      std::string(FORERUN_SOURCE_DIR) + "/tests/lowering/plain_loop.cpp", with_libtorch());
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  EXPECT_NE(lowered->flags_from.find("flags found: LibTorch "), std::string::npos)
      << lowered->flags_from;
}
