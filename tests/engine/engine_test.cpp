// Selection, configuration, suppressions, baseline and the report's forms.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyzer/engine/baseline.h"
#include "analyzer/engine/check.h"
#include "analyzer/engine/configuration.h"
#include "analyzer/engine/selection.h"
#include "analyzer/engine/suppressions.h"
#include "analyzer/engine/writers.h"
#include "analyzer/ir/parse.h"
#include "tests/support/golden.h"

namespace forerun::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kHazard =
    "function fit (net, batches, opt)\n"  // 1
    "  loop x, y in batches\n"            // 2
    "    %1 = forward net (x)\n"          // 3
    "    loss = loss:mse_loss (%1, y)\n"  // 4
    "    backward loss\n"                 // 5
    "    step opt\n"                      // 6
    "    append self.losses (loss)\n";    // 7

ir::Program program(const std::string& text) {
  auto parsed = ir::parse(text, "p.py");
  EXPECT_TRUE(parsed) << to_string(parsed.error());
  return std::move(*parsed);
}

ir::Comment comment(const std::string& text, int line, bool own_line = false) {
  return {text, {"p.py", {line, 20}, {line, 40}}, own_line};
}

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings)
    all.push_back(std::to_string(finding.location.begin.line) + " " + finding.rule_id);
  return all;
}

Settings selecting(const std::string& text) {
  const auto settings = read_configuration(text, "forerun.toml");
  EXPECT_TRUE(settings) << to_string(settings.error());
  return settings ? *settings : Settings{};
}

std::string problem(const std::string& text, const std::string& path = "forerun.toml") {
  const auto settings = read_configuration(text, path);
  EXPECT_FALSE(settings) << text;
  return settings ? "" : to_string(settings.error());
}

// --- selection
TEST(Selection, PatternsOfRules) {
  EXPECT_TRUE(matches_rule("graph-kept-container", "graph-kept-container", "memory"));
  EXPECT_TRUE(matches_rule("memory", "graph-kept-container", "memory"));
  EXPECT_TRUE(matches_rule("graph-", "graph-kept-container", "memory"));
  EXPECT_TRUE(matches_rule("*-container", "graph-kept-container", "memory"));
  EXPECT_TRUE(matches_rule("memory/*", "graph-kept-container", "memory"));
  EXPECT_TRUE(matches_rule("all", "graph-kept-container", "memory"));
  EXPECT_FALSE(matches_rule("graph", "graph-kept-container", "memory"));
  EXPECT_FALSE(matches_rule("mem", "graph-kept-container", "memory"));
}

TEST(Selection, PatternsOfPaths) {
  EXPECT_TRUE(matches_path("tests", "tests/a/b.py"));
  EXPECT_TRUE(matches_path("tests/", "x/tests/b.py"));
  EXPECT_TRUE(matches_path("**/b.py", "x/y/b.py"));
  EXPECT_TRUE(matches_path("*.py", "x/y/b.py"));
  EXPECT_TRUE(matches_path("x/*/b.py", "./x/y/b.py"));
  EXPECT_TRUE(matches_path("x/**", "x/y/b.py"));
  EXPECT_FALSE(matches_path("x/*.py", "x/y/b.py"));
  EXPECT_FALSE(matches_path("test", "tests/b.py"));
}

TEST(Selection, SelectsIgnoresAndRaises) {
  EXPECT_THAT(ids(check(program(kHazard), Selection({})).findings),
              ElementsAre("6 zero-grad-missing", "7 graph-kept-container"));
  EXPECT_THAT(ids(check(program(kHazard), Selection(selecting("select = ['gradient']"))).findings),
              ElementsAre("6 zero-grad-missing"));
  EXPECT_THAT(
      ids(check(program(kHazard), Selection(selecting("[lint]\nignore = ['zero-*']"))).findings),
      ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(
      ids(check(program(kHazard), Selection(selecting("per-file-ignores = {'p.*' = ['memory']}")))
              .findings),
      ElementsAre("6 zero-grad-missing"));
  const auto noted =
      check(program(kHazard), Selection(selecting("severity = {all = 'note'}"))).findings;
  for (const Finding& finding : noted) EXPECT_EQ(finding.level, Level::Note);
  EXPECT_TRUE(Selection({}).fails(Level::Warning));
  EXPECT_FALSE(Selection({}).fails(Level::Note));
  EXPECT_FALSE(Selection(selecting("fail-on = 'error'")).fails(Level::Warning));
  EXPECT_FALSE(Selection(selecting("fail-on = 'never'")).fails(Level::Error));
}

// --- configuration
TEST(Configuration, WrongOnesSayWhere) {
  EXPECT_THAT(
      problem("[lint]\nselct = []\n"),
      HasSubstr("forerun.toml:2:1: error: unknown key 'selct'\nhelp: did you mean 'select'?"));
  EXPECT_THAT(problem("select = 'gradient'"),
              HasSubstr("forerun.toml:1:10: error: select is a string"));
  EXPECT_THAT(problem("select = [3]"), HasSubstr("select holds a integer"));
  EXPECT_THAT(problem("select = ['zero-grad-mising']"),
              HasSubstr("forerun.toml:1:11: error: no rule matches 'zero-grad-mising'\nhelp: did "
                        "you mean 'zero-grad-missing'?"));
  EXPECT_THAT(problem("severity = {memory = 'fatal'}"),
              HasSubstr("severity of 'memory' is 'fatal'"));
  EXPECT_THAT(problem("severity = 3"), HasSubstr("severity is a integer"));
  EXPECT_THAT(problem("fail-on = 'eror'"), HasSubstr("did you mean 'error'?"));
  EXPECT_THAT(problem("per-file-ignores = {'a' = 'b'}"), HasSubstr("per-file-ignores is a string"));
  EXPECT_THAT(problem("[lint\n"), HasSubstr("forerun.toml:1:"));
  EXPECT_THAT(problem(std::string("a\0b", 3)), HasSubstr("is not a text file"));
  EXPECT_THAT(problem("[tool.forerun]\nnonsense = 1\n", "pyproject.toml"),
              HasSubstr("pyproject.toml:2:1: error: unknown key 'nonsense'"));
}

TEST(Configuration, IsFoundByWalkingUp) {
  test::TemporaryFolder folder;
  folder.write("pyproject.toml", "[tool.forerun.lint]\nselect = ['sync']\n");
  folder.write("a/pyproject.toml", "[tool.other]\nx = 1\n");
  folder.write("a/b/c.py", "");
  const auto outer = find_configuration(folder.path() + "/a/b");
  ASSERT_TRUE(outer) << to_string(outer.error());
  ASSERT_THAT(outer->settings.select, SizeIs(1));
  EXPECT_EQ(outer->settings.select[0].text, "sync");
  folder.write("a/forerun.toml", "select = ['memory']\n");
  EXPECT_EQ(find_configuration(folder.path() + "/a/b")->settings.select.at(0).text, "memory");
}

// --- suppressions
Checked with_comments(const std::vector<ir::Comment>& comments,
                      ir::Language language = ir::Language::Python) {
  ir::Program one = program(kHazard);
  one.language = language;
  one.comments = comments;
  return check(one, Selection({}));
}

TEST(Suppressions, Python) {
  EXPECT_THAT(ids(with_comments({comment("noqa", 6)}).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("noqa: E501, zero-grad-missing", 6)}).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("noqa: E501", 6)}).findings), SizeIs(2))
      << "another tool's";
  EXPECT_THAT(ids(with_comments({comment("NOQA:graph-kept-container", 7)}).findings),
              ElementsAre("6 zero-grad-missing"));
  EXPECT_THAT(ids(with_comments({comment("forerun: ignore[zero-grad-missing]", 6)}).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("forerun: ignore[gradient]", 5, true)}).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("forerun: ignore-file[memory, gradient]", 1)}).findings),
              IsEmpty());
  EXPECT_THAT(ids(with_comments({comment("forerun: ignore-file", 1)}).findings), IsEmpty());
  EXPECT_EQ(with_comments({comment("noqa", 6)}).suppressed, 1);
}

TEST(Suppressions, Cpp) {
  const auto cpp = ir::Language::Cpp;
  EXPECT_THAT(ids(with_comments({comment("NOLINT", 6)}, cpp).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("NOLINT(forerun-zero-grad-missing)", 6)}, cpp).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("NOLINT(bugprone-*)", 6)}, cpp).findings), SizeIs(2));
  EXPECT_THAT(ids(with_comments({comment("NOLINT(bugprone-x, forerun-*)", 6)}, cpp).findings),
              ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("NOLINTNEXTLINE(forerun-graph-kept-container)", 6)}, cpp)
                      .findings),
              ElementsAre("6 zero-grad-missing"));
  EXPECT_THAT(
      ids(with_comments({comment("NOLINTBEGIN(forerun-*)", 2), comment("NOLINTEND(forerun-*)", 6)},
                        cpp)
              .findings),
      ElementsAre("7 graph-kept-container"));
  EXPECT_THAT(ids(with_comments({comment("NOLINTBEGIN", 2)}, cpp).findings), IsEmpty());
}

TEST(Suppressions, UnusedOnesAreReported) {
  const auto unused = with_comments({comment("forerun: ignore[zero-grad-missing]", 3)}).findings;
  EXPECT_THAT(ids(unused),
              ElementsAre("3 unused-suppression", "6 zero-grad-missing", "7 graph-kept-container"));
  EXPECT_EQ(unused[0].level, Level::Note);
  EXPECT_THAT(with_comments({comment("forerun: ignore[zero-grad-mising]", 6)}).findings.at(1).help,
              HasSubstr("zero-grad-missing"));
  EXPECT_THAT(ids(with_comments({comment("noqa", 3)}).findings), SizeIs(2))
      << "a bare noqa may be for another tool";
  EXPECT_THAT(
      ids(with_comments({comment("NOLINT(forerun-memory)", 3)}, ir::Language::Cpp).findings),
      SizeIs(3));
  ir::Program one = program(kHazard);
  one.comments = {comment("forerun: ignore[zero-grad-missing]", 3)};
  EXPECT_THAT(ids(check(one, Selection(selecting("select = ['memory']"))).findings),
              ElementsAre("7 graph-kept-container"))
      << "its rule does not run";
}

// --- frameworks
TEST(Check, FrameworksMakeRulesMoot) {
  EXPECT_THAT(
      ids(check(program(std::string("# import lightning\n") + kHazard), Selection({})).findings),
      ElementsAre("8 graph-kept-container"));
}

// --- baseline
TEST(BaselineFile, KnowsFindingsWhereverTheyMove) {
  std::vector<Finding> findings = check(program(kHazard), Selection({})).findings;
  const Texts texts{{"p.py", kHazard}};
  const auto baseline = read_baseline(write_baseline(findings, texts), "b.json");
  ASSERT_TRUE(baseline) << to_string(baseline.error());
  EXPECT_THAT(baseline->entries, SizeIs(2));

  const std::string moved = std::string("# new\n\n") + kHazard;
  std::vector<Finding> later = check(program(moved), Selection({})).findings;
  EXPECT_THAT(apply_baseline(*baseline, {{"p.py", moved}}, later), IsEmpty());
  EXPECT_THAT(later, IsEmpty());

  std::vector<Finding> mended{findings[0]};
  EXPECT_THAT(apply_baseline(*baseline, texts, mended), SizeIs(1));
}

TEST(BaselineFile, WrongOnesSayWhere) {
  EXPECT_THAT(to_string(read_baseline("{\"findings\": [", "b.json").error()),
              HasSubstr("b.json:1:"));
  EXPECT_THAT(to_string(read_baseline("[]", "b.json").error()), HasSubstr("is not a baseline"));
  EXPECT_THAT(to_string(read_baseline("{\"forerun_baseline\": 1}", "b.json").error()),
              HasSubstr("has no list"));
  EXPECT_THAT(
      to_string(read_baseline("{\"forerun_baseline\": 1, \"findings\": [3]}", "b.json").error()),
      HasSubstr("without rule"));
  EXPECT_THAT(to_string(read_baseline(std::string(3, '\0'), "b.json").error()),
              HasSubstr("not a text file"));
}

// --- reports
Report report() {
  Report one;
  one.findings = check(program(kHazard), Selection({})).findings;
  one.texts = {{"p.py", kHazard}};
  one.files = 1;
  return one;
}

TEST(Text, OneLineAFindingThenNotesAndHelp) {
  EXPECT_EQ(write_text(report(), false).substr(0, 200),
            std::string("p.py:6:5: error: gradients of this step are added to those of the steps "
                        "before [zero-grad-missing]\n"
                        "p.py:5:5: note: backward() adds to them here\n"
                        "p.py:2:3: note: the loop starts again here with the old gradients\n")
                .substr(0, 200));
  EXPECT_THAT(write_text(report(), true), HasSubstr("\033["));
}

TEST(GitHub, Escapes) {
  Report one = report();
  one.findings.resize(1);
  one.findings[0].location.file = "a,b:c.py";
  EXPECT_THAT(
      write_github(one),
      HasSubstr(
          "::error file=a%2Cb%3Ac.py,line=6,endLine=6,col=5,title=zero-grad-missing::gradients"));
  EXPECT_THAT(write_github(one), HasSubstr("%0Acall zero_grad()"));
}

TEST(JUnit, AFailedCaseAFinding) {
  Report one = report();
  one.findings[0].message = "a < b & \"c\"\x01";
  one.errors.push_back(error_at({"broken.py", {3, 1}, {}}, "does not parse"));
  const std::string xml = write_junit(one);
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"2\" errors=\"1\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"p.py\" tests=\"2\" failures=\"2\" errors=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("message=\"a &lt; b &amp; &quot;c&quot;?\""));
  EXPECT_THAT(xml, HasSubstr("<error message=\"does not parse\"/>"));
  EXPECT_THAT(write_junit(Report{}), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\">"));
}

TEST(Json, HoldsEverything) {
  const auto json = nlohmann::json::parse(write_json(report()));
  EXPECT_EQ(json["findings"].size(), 2u);
  EXPECT_EQ(json["findings"][0]["rule"], "zero-grad-missing");
  EXPECT_EQ(json["findings"][0]["group"], "gradient");
  EXPECT_EQ(json["summary"]["errors"], 1);
  EXPECT_EQ(json["summary"]["warnings"], 1);
}

// What the 2.1.0 schema requires of these objects, and what GitHub needs besides.
TEST(Sarif, HasWhatIsRequired) {
  Report one = report();
  one.errors.push_back(error_at({"broken file.py", {3, 1}, {}}, "does not parse"));
  const auto json = nlohmann::json::parse(write_sarif(one));
  EXPECT_EQ(json["version"], "2.1.0");
  EXPECT_TRUE(json["$schema"].is_string());
  ASSERT_EQ(json["runs"].size(), 1u);
  const auto& run = json["runs"][0];
  const auto& rules = run["tool"]["driver"]["rules"];
  EXPECT_TRUE(run["tool"]["driver"]["name"].is_string());
  for (const auto& rule : rules) {
    for (const char* text : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(rule[text]["text"].get<std::string>().empty()) << rule["id"];
    EXPECT_THAT(rule["defaultConfiguration"]["level"].get<std::string>(),
                ::testing::AnyOf("note", "warning", "error"));
    EXPECT_TRUE(rule["properties"]["tags"].is_array());
  }
  ASSERT_EQ(run["results"].size(), 2u);
  for (const auto& result : run["results"]) {
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_FALSE(
        result["partialFingerprints"]["primaryLocationLineHash"].get<std::string>().empty());
    const auto& where = result["locations"].at(0)["physicalLocation"];
    EXPECT_EQ(where["artifactLocation"]["uri"], "p.py");
    EXPECT_GE(where["region"]["startLine"].get<int>(), 1);
    EXPECT_GE(where["region"]["startColumn"].get<int>(), 1);
    for (const auto& related : result["relatedLocations"])
      EXPECT_TRUE(related["physicalLocation"]["artifactLocation"]["uri"].is_string());
  }
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"][0]["locations"][0]
               ["physicalLocation"]["artifactLocation"]["uri"],
            "broken%20file.py");
}

TEST(Sarif, ColumnsCountUtf16) {
  Report one = report();
  one.findings.resize(1);
  one.findings[0].location = {"u.py", {1, 10}, {}};
  one.texts = {{"u.py", "é😀 = loss.backward()\n"}};  // byte 10: after 2 + 4 + 3 bytes
  const auto json = nlohmann::json::parse(write_sarif(one));
  EXPECT_EQ(
      json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"],
      7);
}

TEST(Explain, EveryRuleHasAPageWithExamples) {
  for (const std::string& id : rule_ids()) {
    if (id == kUnusedSuppression) continue;
    const auto page = explain_rule(id);
    ASSERT_TRUE(page) << id;
    EXPECT_FALSE(page_title(*page).empty()) << id;
    EXPECT_FALSE(page_summary(*page).empty()) << id;
    for (const char* section :
         {"## Why it matters", "## What it looks at", "## Limits", "## Sources", "## Found in"})
      EXPECT_THAT(*page, HasSubstr(section)) << id;
  }
  EXPECT_THAT(to_string(explain_rule("zero-grad-mising").error()),
              HasSubstr("did you mean 'zero-grad-missing'?"));
}

}  // namespace
}  // namespace forerun::engine
