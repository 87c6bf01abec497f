#include "analyzer/cpp/frontend.h"
#include "tests/rules/fixtures.h"

namespace forerun::test {
namespace {

// Real LibTorch headers: those the build found, or forerun's own declarations.
std::vector<std::string> torch_roots() {
  std::vector<std::string> roots;
  for (const char* venv : {FORERUN_BINARY_DIR "/venv/lib", FORERUN_SOURCE_DIR "/build/venv/lib"}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(venv, ignored))
      roots.push_back(entry.path().string() + "/site-packages");
  }
  roots.emplace_back(FORERUN_SOURCE_DIR "/analyzer/cpp/headers");
  return roots;
}

class CppFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(CppFixture, FindsWhatItSays) {
  const std::string text = read_all(FORERUN_SOURCE_DIR "/" + GetParam());
  cpp::Options options;
  options.torch_roots = torch_roots();
  options.cache_path = FORERUN_BINARY_DIR "/tests/pch";
  const auto lowered = cpp::lower(FORERUN_SOURCE_DIR "/" + GetParam(), options);
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  judge(GetParam(), lowered->program, text);
}

INSTANTIATE_TEST_SUITE_P(Rules, CppFixture, ::testing::ValuesIn(fixtures(".cpp")), fixture_name);

}  // namespace
}  // namespace forerun::test
