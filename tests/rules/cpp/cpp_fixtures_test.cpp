// The C++ fixtures against LibTorch's real headers.
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/cpp/frontend.h"
#include "tests/rules/fixtures.h"

namespace forerun::test {
namespace {

// Where scripts/setup puts LibTorch: beside this build, or beside the source tree's own.
std::vector<std::string> torch_roots() {
  std::vector<std::string> roots;
  for (const char* venv : {FORERUN_BINARY_DIR "/venv/lib", FORERUN_SOURCE_DIR "/build/venv/lib"}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(venv, ignored)) {
      const std::string packages = entry.path().string() + "/site-packages";
      if (std::filesystem::exists(packages + "/torch", ignored)) roots.push_back(packages);
    }
  }
  return roots;
}

class CppFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(CppFixture, FindsWhatItSays) {
  cpp::Options options;
  options.torch_roots = torch_roots();
  if (options.torch_roots.empty()) GTEST_SKIP() << "needs LibTorch's headers";
  options.cache_path = FORERUN_BINARY_DIR "/tests/pch";
  const std::string path = FORERUN_SOURCE_DIR "/" + GetParam();
  const auto lowered = cpp::lower(path, options);
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  judge(GetParam(), lowered->program, read_all(path));
}

INSTANTIATE_TEST_SUITE_P(Rules, CppFixture, ::testing::ValuesIn(fixtures(".cpp")), fixture_name);

}  // namespace
}  // namespace forerun::test
