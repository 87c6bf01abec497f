#include "analyzer/python/frontend.h"
#include "tests/rules/fixtures.h"

namespace forerun::test {
namespace {

class PythonFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(PythonFixture, FindsWhatItSays) {
  const std::string text = read_all(FORERUN_SOURCE_DIR "/" + GetParam());
  const auto program = python::lower(text, GetParam());
  ASSERT_TRUE(program) << to_string(program.error());
  judge(GetParam(), *program, text);
}

INSTANTIATE_TEST_SUITE_P(Rules, PythonFixture, ::testing::ValuesIn(fixtures(".py")), fixture_name);

}  // namespace
}  // namespace forerun::test
