// Rules are spared what they say cannot concern them (Rule::needs, Rule::trigger). What they say
// has to be right: with and without it, every fixture and example has the same findings.
#include <gtest/gtest.h>

#include "analyzer/python/frontend.h"
#include "tests/rules/fixtures.h"

namespace forerun::test {
namespace {

std::string told(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings)
    text += to_string(one.location) + " " + one.rule_id + " " + one.message + "\n";
  return text;
}

class Concerned : public ::testing::TestWithParam<std::string> {};

TEST_P(Concerned, FindsTheSame) {
  const std::string text = read_all(FORERUN_SOURCE_DIR "/" + GetParam());
  const auto program = python::lower(text, GetParam());
  ASSERT_TRUE(program) << program.error().message;
  const engine::Selection every{engine::Settings{}};
  EXPECT_EQ(told(engine::check(*program, every).findings),
            told(engine::check(*program, every, engine::Thoroughness::Everything).findings));
}

// What the words of a file rule out, no rule finds: not even where it gets its names from elsewhere
// than torch.
TEST_P(Concerned, IsLookedAtWhereSomethingIsFound) {
  std::string text = read_all(FORERUN_SOURCE_DIR "/" + GetParam());
  for (std::size_t at; (at = text.find("torch")) != std::string::npos;) text.replace(at, 5, "lib");
  const auto program = python::lower(text, GetParam());
  ASSERT_TRUE(program) << program.error().message;
  const engine::Selection every{engine::Settings{}};
  const auto findings = engine::check(*program, every, engine::Thoroughness::Everything).findings;
  EXPECT_TRUE(findings.empty() || python::may_concern_training(text)) << told(findings);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Concerned, ::testing::ValuesIn(fixtures(".py")),
                         [](const auto& info) { return "n" + std::to_string(info.index); });

}  // namespace
}  // namespace forerun::test
