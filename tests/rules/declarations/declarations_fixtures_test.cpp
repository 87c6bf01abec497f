// The C++ fixtures against forerun's own declarations of the LibTorch API: where LibTorch is not
// installed, the same is found.
#include <string>

#include "analyzer/cpp/frontend.h"
#include "tests/rules/fixtures.h"

namespace forerun::test {
namespace {

class DeclarationsFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(DeclarationsFixture, FindsWhatItSays) {
  cpp::Options options;
  options.torch_roots = {FORERUN_SOURCE_DIR "/analyzer/cpp/headers"};
  const std::string path = FORERUN_SOURCE_DIR "/" + GetParam();
  const auto lowered = cpp::lower(path, options);
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  judge(GetParam(), lowered->program, read_all(path));
}

INSTANTIATE_TEST_SUITE_P(Rules, DeclarationsFixture, ::testing::ValuesIn(fixtures(".cpp")),
                         fixture_name);

}  // namespace
}  // namespace forerun::test
