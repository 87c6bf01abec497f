// Notebooks through the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/lint_cli/lint_command.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using LintNotebooks = LintCommand;

std::string notebook(const std::vector<std::string>& sources, const char* language = "python") {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  cells.push_back({{"cell_type", "markdown"}, {"metadata", {{"id", 1}}}, {"source", {"# Title"}}});
  for (const std::string& source : sources) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (std::size_t at = 0; at < source.size();) {
      const std::size_t next = std::min(source.find('\n', at), source.size() - 1) + 1;
      lines.push_back(source.substr(at, next - at));
      at = next;
    }
    cells.push_back(
        {{"cell_type", "code"}, {"outputs", nlohmann::json::array()}, {"source", lines}});
  }
  return nlohmann::ordered_json{{"cells", cells},
                                {"metadata", {{"kernelspec", {{"language", language}}}}},
                                {"nbformat", 4},
                                {"nbformat_minor", 5}}
             .dump(1) +
         "\n";
}

// The loop is in the third cell, and what it uses in the second.
std::string hazard(const std::string& comment = "") {
  return notebook(
      {"%matplotlib inline\n!pip install torch\nimport torch.nn.functional as F\n"
       "total = 0.0",
       "for x, y in batches:\n"
       "    opt.zero_grad()\n"
       "    loss = F.mse_loss(net(x), y)\n"
       "    loss.backward()\n"
       "    opt.step()\n"
       "    total += loss" +
           comment + "\n"});
}

TEST_F(LintNotebooks, FindingsAreInTheirCell) {
  folder_.write("a.ipynb", hazard());
  const CommandResult result = lint_here("a.ipynb");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, StartsWith("a.ipynb:cell 3:6:5: warning: 'loss' is added to 'total' with "
                                     "its graph"));
  EXPECT_THAT(result.out, HasSubstr("\na.ipynb:cell 3:1:1: note: "));
  EXPECT_EQ(lint_here(".").out, result.out) << "folders are walked for notebooks";
  EXPECT_EQ(lint({"-", "--stdin-filename", "a.ipynb"}, hazard()).out, result.out);
}

// Formats that know files and lines alone name the line of JSON, and say the cell in words.
TEST_F(LintNotebooks, OtherFormatsNameTheLineOfTheFile) {
  const std::string text = hazard();
  folder_.write("a.ipynb", text);
  const std::size_t at = text.find("total += loss");
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  EXPECT_THAT(lint_here("a.ipynb --format github").out,
              StartsWith("::warning file=a.ipynb,line=" + std::to_string(line) +
                         ",title=graph-kept-accumulator::cell 3:6:5: 'loss' is added"));
  EXPECT_THAT(lint_here("a.ipynb --format junit").out,
              HasSubstr("name=\"graph-kept-accumulator cell 3:6:5\" classname=\"a.ipynb\" "
                        "file=\"a.ipynb\" line=\"" +
                        std::to_string(line) + "\""));
  const auto json = nlohmann::json::parse(lint_here("a.ipynb --format json").out);
  EXPECT_EQ(json["findings"][0]["location"], (nlohmann::json{{"file", "a.ipynb"},
                                                             {"cell", 3},
                                                             {"line", 6},
                                                             {"column", 5},
                                                             {"end_line", 6},
                                                             {"end_column", 18},
                                                             {"line_in_file", line}}));
  const auto sarif = nlohmann::json::parse(lint_here("a.ipynb --format sarif").out);
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"],
            (nlohmann::json{{"startLine", line}}));
  EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "a.ipynb:cell 3");
  EXPECT_THAT(result["message"]["text"].get<std::string>(), StartsWith("cell 3:6:5: "));
  EXPECT_FALSE(result.contains("fixes"));
}

TEST_F(LintNotebooks, CellsAreMendedAndTheRestStays) {
  std::string wanted = hazard();
  const std::string path = folder_.write("a.ipynb", wanted);
  const CommandResult shown = lint_here("a.ipynb --diff");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.out, StartsWith("--- a.ipynb:cell 3\n+++ a.ipynb:cell 3\n@@ -3,4 +3,4 @@\n"));
  EXPECT_EQ(read_all(path), wanted);
  const CommandResult fixed = lint_here("a.ipynb --fix");
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
  wanted.replace(wanted.find("total += loss"), 13, "total += loss.detach()");
  EXPECT_EQ(read_all(path), wanted);
}

TEST_F(LintNotebooks, SuppressionsAndBaselines) {
  folder_.write("a.ipynb", hazard("  # forerun: ignore[graph-kept-accumulator]"));
  const CommandResult silenced = lint_here("a.ipynb");
  EXPECT_EQ(silenced.exit_code, 0) << silenced.out;
  EXPECT_THAT(silenced.err, HasSubstr("1 suppressed"));
  folder_.write("a.ipynb", hazard());
  EXPECT_EQ(lint_here("a.ipynb --baseline b.json --update-baseline").exit_code, 0);
  EXPECT_EQ(lint_here("a.ipynb --baseline b.json").exit_code, 0);
  EXPECT_EQ(lint_here("a.ipynb --per-file-ignores '*.ipynb:memory'").exit_code, 0);
  folder_.write("b.ipynb", notebook({"x = 1", "y = 2  # forerun: ignore[memory]"}));
  EXPECT_THAT(lint_here("b.ipynb").out, StartsWith("b.ipynb:cell 3:1:8: note: "));
}

TEST_F(LintNotebooks, BrokenOnesAreErrorsWithAPlace) {
  const std::string whole = hazard();
  folder_.write("cut.ipynb", whole.substr(0, whole.size() / 2));
  folder_.write("good.ipynb", whole);
  const CommandResult result = lint_here("cut.ipynb good.ipynb");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cut.ipynb:"));
  EXPECT_THAT(result.err, HasSubstr(": error: is not JSON: the text ends or breaks here"));
  EXPECT_THAT(result.out, StartsWith("good.ipynb:cell 3"));
  folder_.write("old.ipynb", R"({"worksheets": [], "nbformat": 3})");
  EXPECT_THAT(lint_here("old.ipynb").err,
              HasSubstr("old.ipynb: error: is a notebook of nbformat 3"));
}

TEST_F(LintNotebooks, OtherLanguagesAreSaidAndPassedBy) {
  folder_.write("r.ipynb", notebook({"x <- 1"}, "R"));
  const CommandResult result = lint_here("r.ipynb");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("r.ipynb: is a notebook in R: not checked"));
}

TEST_F(LintNotebooks, SyntaxErrorsNameTheCell) {
  folder_.write("s.ipynb", notebook({"net = 1", "y = ("}));
  EXPECT_THAT(lint_here("s.ipynb").err, HasSubstr("s.ipynb:cell 3:1:"));
}

}  // namespace
}  // namespace forerun::test
