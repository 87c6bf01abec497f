// The printed form read back: what prints parses to the same text, and every way a text can be
// wrong says where.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/ir/parse.h"
#include "analyzer/ir/verify.h"
#include "tests/support/golden.h"

namespace forerun::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string problem(const std::string& text) {
  const Result<Program> program = parse(text, "p.tir");
  EXPECT_FALSE(program) << text;
  return program ? "" : to_string(program.error());
}

std::vector<Error> broken(const std::string& text) {
  const Result<Program> program = parse(text, "p.tir");
  EXPECT_TRUE(program) << to_string(program.error());
  return verify(*program);
}

constexpr const char* kEverything = R"(function <module> ()
  function helper (a, b)
    return a, b
  %1 = call:helper (1, "a, (b) = \"c\"")
  x, y = unpack (%1)
  loss = x
  z = loss
  start = clock
  synchronize
function fit (net, batches, *rest, opt)
  total = 0.0
  self.history[] = total
  loop i, x, y in batches
    scope autocast ("cuda", dtype=float16)
      %1 = forward net (x)
    scope with:open ("f") as h
      loss:mse_loss (%1, y)
    scope no_grad
      break
    branch total
      continue
    else
      raise
    store self.d[].k ("k", ?)
    step opt (&closure, *rest, **more)
  otherwise
    yield total
  loop i to 10
    p.grad = none
  loop while %2
  head
    %2 = arith:lt (i, -1)
    i = arith:iadd (i, 1)
  loop
    try
      call opt (x=1.5e-3)
    handler
      raise x
    handler
      print (x)
    otherwise
      empty_cache
    finally
      return
)";

TEST(Parse, RoundTrip) {
  const Result<Program> program = parse(kEverything, "p.tir");
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(print(*program), kEverything);
}

TEST(Parse, EveryLoweringTestRoundTrips) {
  int seen = 0;
  const std::filesystem::path folder = FORERUN_SOURCE_DIR "/tests/lowering";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no tests/lowering here";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tir") continue;
    const std::string text = test::read_all(entry.path().string());
    const Result<Program> program = parse(text, entry.path().filename().string());
    ASSERT_TRUE(program) << to_string(program.error());
    EXPECT_EQ(print(*program), text) << entry.path();
    for (const Error& problem : verify(*program)) ADD_FAILURE() << to_string(problem);
    ++seen;
  }
  if (seen == 0) GTEST_SKIP() << "no .tir files there";
}

TEST(Parse, CarriesLocations) {
  const Result<Program> program = parse("function f (a)\n  loop x in a\n    backward x\n", "p.tir");
  ASSERT_TRUE(program);
  const auto& loop = std::get<Loop>(program->functions[0].body[0].value);
  EXPECT_EQ(to_string(loop.at), "p.tir:2:3");
  EXPECT_EQ(to_string(std::get<Op>(loop.body[0].value).at), "p.tir:3:5");
}

TEST(Parse, Directives) {
  const Result<Program> program = parse(
      "# import lightning\n# language cpp\n# class Mean (Module, Base)\n# member self.x tensor\n# "
      "a remark\n"
      "function Mean.push (x)\n  # role x tensor\n  return x\n",
      "p.tir");
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->imports, std::vector<std::string>{"lightning"});
  EXPECT_EQ(program->language, Language::Cpp);
  EXPECT_EQ(program->classes.at(0).bases, (std::vector<std::string>{"Module", "Base"}));
  EXPECT_EQ(program->classes[0].members.at(Place{"self", {"x"}}), Role::Tensor);
  EXPECT_EQ(program->functions[0].owner, "Mean");
  EXPECT_EQ(program->functions[0].roles.at(Place{"x", {}}), Role::Tensor);
}

TEST(Parse, WrongTextsSayWhere) {
  EXPECT_THAT(problem("backward loss\n"),
              HasSubstr("p.tir:1:1: error: found 'backward', expected 'function'"));
  EXPECT_THAT(
      problem("function f ()\n  backwrd loss\n"),
      HasSubstr("p.tir:2:3: error: unknown operation 'backwrd'\nhelp: did you mean 'backward'?"));
  EXPECT_THAT(problem("function f ()\n   backward loss\n"),
              HasSubstr("p.tir:2:4: error: indentation"));
  EXPECT_THAT(problem("function f ()\n    backward loss\n"), HasSubstr("indented deeper"));
  EXPECT_THAT(problem("function f ()\n  print (\"a)\n"),
              HasSubstr("p.tir:2:10: error: text without a closing quote"));
  EXPECT_THAT(problem("function f ()\n  print (a b)\n"),
              HasSubstr("found 'b', expected ',' or ')'"));
  EXPECT_THAT(problem("function f ()\n  print (a\n"),
              HasSubstr("the line ends, expected ',' or ')'"));
  EXPECT_THAT(problem("function f ()\n  scope nograd\n"), HasSubstr("expected no_grad"));
  EXPECT_THAT(problem("function f ()\n  loop x batches\n"), HasSubstr("expected 'in' or 'to'"));
  EXPECT_THAT(problem("function f ()\n  x[0] = y\n"), HasSubstr("expected [] for an element"));
  EXPECT_THAT(problem("function f ()\n  x. = y\n"), HasSubstr("has an empty member"));
  EXPECT_THAT(problem("function f ()\n  x =\n"), HasSubstr("expected an operation"));
  EXPECT_THAT(problem("function f (a b)\n"), HasSubstr("',' or ')'"));
  EXPECT_THAT(problem("function f ()\nelse\n"), HasSubstr("expected 'function'"));
  EXPECT_THAT(problem("function f ()\n  # role x gadget\n"), HasSubstr("'gadget' is not a role"));
}

TEST(Parse, DepthIsBounded) {
  std::string text = "function f ()\n";
  for (int depth = 1; depth < 400; ++depth)
    text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "loop\n";
  EXPECT_THAT(problem(text), HasSubstr("nested deeper than 200 blocks"));
}

TEST(Parse, NoTextCrashes) {
  // Every prefix and every text with one byte changed either parses or is refused.
  const std::string whole = kEverything;
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    (void)parse(whole.substr(0, i), "p.tir");
    for (const char c : {'(', '"', '=', ' ', '\n', '%', '\0', '[', '*'}) {
      std::string changed = whole;
      if (i < changed.size()) changed[i] = c;
      const Result<Program> program = parse(changed, "p.tir");
      if (program) (void)verify(*program);
    }
  }
}

TEST(Verify, GoodProgramsHaveNothingBroken) {
  EXPECT_THAT(broken("function f (a)\n  %1 = forward a (a)\n  loop x in %1\n    break\n"),
              IsEmpty());
}

TEST(Verify, NamesWhatIsBroken) {
  EXPECT_THAT(to_string(broken("function f (a)\n  backward %1\n").at(0)),
              HasSubstr("p.tir:2:3: error: %1 is used before it is made"));
  EXPECT_THAT(to_string(broken("function f (a)\n  %1 = forward a\n  %1 = forward a\n").at(0)),
              HasSubstr("%1 is made twice"));
  EXPECT_THAT(to_string(broken("function f (a)\n  break\n").at(0)),
              HasSubstr("break outside a loop"));
  EXPECT_THAT(to_string(broken("function f (a)\n  store a (1)\n").at(0)), HasSubstr("a store has"));
  EXPECT_THAT(to_string(broken("function f (a)\n  append a\n").at(0)), HasSubstr("an append has"));
  EXPECT_THAT(to_string(broken("function f (a)\n  call\n").at(0)), HasSubstr("a call names"));
}

TEST(Verify, NestedFunctionsSeeTemporariesAroundThem) {
  EXPECT_THAT(
      broken(
          "function f (a)\n  %1 = forward a\n  function g ()\n    backward %1\n    %1 = clock\n"),
      IsEmpty());
}

}  // namespace
}  // namespace forerun::ir
