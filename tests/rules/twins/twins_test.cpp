// A rule that is not of one language has its bad program in both, and the front ends lower at least
// one function of the two, one with a finding of the rule in it, to the same printed IR.
// twins/different.txt lists the rules for which that is not so, each with its reason.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyzer/cpp/frontend.h"
#include "analyzer/ir/walk.h"
#include "analyzer/python/frontend.h"
#include "tests/rules/fixtures.h"

namespace forerun::test {
namespace {

namespace fs = std::filesystem;

// Rules without languages.txt, as "group/id".
std::vector<std::string> rules_of_both() {
  std::vector<std::string> rules;
  for (const std::string& fixture : fixtures(".py")) {
    const fs::path folder = fs::path(fixture).parent_path();
    if (fs::path(fixture).stem() != "bad") continue;
    if (fs::exists(fs::path(FORERUN_SOURCE_DIR) / folder / "languages.txt")) continue;
    rules.push_back(folder.lexically_relative("rules").string());
  }
  return rules;
}

// "rule: reason" a line.
std::map<std::string, std::string> different() {
  std::map<std::string, std::string> reasons;
  std::ifstream lines(FORERUN_SOURCE_DIR "/tests/rules/twins/different.txt");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with('#') || colon == std::string::npos) continue;
    reasons[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return reasons;
}

// Braces are a list in C++ where Python has a tuple, as of a shape.
std::string without_tuples(std::string text) {
  const std::string tuple = "pack:tuple", list = "pack:list";
  for (std::size_t at = text.find(tuple); at != std::string::npos; at = text.find(tuple, at))
    text.replace(at, tuple.size(), list);
  return text;
}

int last_line(const ir::Block& block) {
  int last = 0;
  for (const ir::Node& node : block) {
    if (const auto* op = std::get_if<ir::Op>(&node.value))
      last = std::max({last, op->at.begin.line, op->at.end.line});
    if (const auto* jump = std::get_if<ir::Jump>(&node.value))
      last = std::max({last, jump->at.begin.line, jump->at.end.line});
    ir::each_block(node, [&](const ir::Block& inner) { last = std::max(last, last_line(inner)); });
  }
  return last;
}

// What each function with a finding of the rule in it does, without its name and parameters: those
// are each language's own.
std::set<std::string> bodies(const ir::Program& program, const std::set<int>& findings) {
  std::set<std::string> found;
  for (const ir::Function& function : program.functions) {
    const auto inside = findings.lower_bound(function.at.begin.line);
    if (inside == findings.end() || *inside > last_line(function.body)) continue;
    const std::string text = without_tuples(ir::print(function));
    const std::size_t end = text.find('\n');
    const std::string body = end == std::string::npos ? "" : text.substr(end + 1);
    if (body.size() > 1) found.insert(body);
  }
  return found;
}

class Twins : public ::testing::TestWithParam<std::string> {};

TEST_P(Twins, OneProgramInBothLanguages) {
  const std::string folder = FORERUN_SOURCE_DIR "/rules/" + GetParam();
  const std::string id = fs::path(GetParam()).filename();
  std::map<std::string, std::set<int>> findings;
  for (const char* name : {"/bad.py", "/bad.cpp"}) {
    for (const auto& [line, rule] : read_expected(read_all(folder + name)).found) {
      if (rule == id) findings[name].insert(line);
    }
    EXPECT_FALSE(findings[name].empty()) << name << " has no finding of the rule";
  }
  cpp::Options options;
  options.torch_roots = {FORERUN_SOURCE_DIR "/analyzer/cpp/headers"};
  options.cache_path = FORERUN_BINARY_DIR "/tests/pch-twins";
  const auto cpp = cpp::lower(folder + "/bad.cpp", options);
  ASSERT_TRUE(cpp) << to_string(cpp.error());
  const auto python = python::lower(read_all(folder + "/bad.py"), "bad.py");
  ASSERT_TRUE(python) << to_string(python.error());
  const std::set<std::string> one = bodies(*python, findings["/bad.py"]),
                              other = bodies(cpp->program, findings["/bad.cpp"]);
  std::vector<std::string> both;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(both));
  const auto reasons = different();
  const auto reason = reasons.find(id);
  if (reason == reasons.end()) {
    EXPECT_FALSE(both.empty()) << "no function is lowered to the same; see different.txt";
  } else {
    EXPECT_TRUE(both.empty()) << "these are the same now: take it out of different.txt";
    EXPECT_FALSE(reason->second.empty());
  }
}

std::string twin_name(const ::testing::TestParamInfo<std::string>& info) {
  return fixture_name({"rules/" + info.param, info.index});
}

INSTANTIATE_TEST_SUITE_P(Rules, Twins, ::testing::ValuesIn(rules_of_both()), twin_name);

// A reason is for a rule that is there.
TEST(TwinsList, NamesRules) {
  std::set<std::string> ids;
  for (const std::string& rule : rules_of_both()) ids.insert(fs::path(rule).filename());
  for (const auto& [id, reason] : different()) EXPECT_TRUE(ids.contains(id)) << id;
}

}  // namespace
}  // namespace forerun::test
