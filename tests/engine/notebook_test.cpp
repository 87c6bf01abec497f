#include "analyzer/engine/notebook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/engine/magics.h"

namespace forerun::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string harmless(const std::string& cell) {
  const std::string text = without_magics(cell);
  EXPECT_EQ(text.size(), cell.size()) << cell;
  return text;
}

TEST(Magics, LinesBecomeNothingInTheirPlace) {
  EXPECT_EQ(harmless("%matplotlib inline\nx = 1\n"), "0                 \nx = 1\n");
  EXPECT_EQ(harmless("if a:\n    !ls -l\n"), "if a:\n    0     \n");
  EXPECT_EQ(harmless("!pip install \\\n  torch\ny\n"), "0             \n       \ny\n");
  EXPECT_EQ(harmless("files = !ls"), "files = 0  ");
  EXPECT_EQ(harmless("t = %timeit -o f()\n"), "t = 0             \n");
  EXPECT_EQ(harmless("?net\nnet.fit??\n"), "0   \n0        \n");
}

TEST(Magics, WhatOnlyLooksLikeOneStays) {
  for (const char* python :
       {"x = (a\n     % b)\n", "s = '''\n%time\n!ls\n'''\n", "x = a \\\n  %b\n", "x != y\n",
        "x = 1 if a != b else 2\n", "f(x=\"!\")\n", "x %= 2\n", "x == y\n", "# what?\n",
        "s = 'unclosed\n", "print('a?')\n", "x = '''", "x = '\\"}) {
    EXPECT_EQ(harmless(python), python);
  }
}

TEST(Magics, CellsOfOtherLanguagesAreBlank) {
  EXPECT_EQ(harmless("%%bash\nls (\n"), "      \n    \n");
  EXPECT_EQ(harmless("\n%%html\n<b>"), "\n      \n   ");
  EXPECT_EQ(harmless("%%writefile a.py\nx\n"), "                \n \n");
  EXPECT_EQ(harmless("%%time\nx = 1\n"), "      \nx = 1\n");
}

constexpr const char* kNotebook = R"({
 "cells": [
  {"cell_type": "markdown", "source": ["text"]},
  {
   "cell_type": "code",
   "outputs": [{"data": {"source": [1, {"cells": []}]}}],
   "source": [
    "a = 1\n",
    "b = 'é'\n",
    "c = 3"
   ]
  },
  {"source": "d = \"q\"\ne = 5", "cell_type": "code"},
  {"cell_type": "raw", "source": "no"},
  {"cell_type": "code", "source": []}
 ],
 "metadata": {"kernelspec": {"language": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
)";

Notebook notebook(const std::string& text = kNotebook) {
  auto read = read_notebook(text, "a.ipynb");
  EXPECT_TRUE(read) << to_string(read.error());
  return read ? std::move(*read) : Notebook{};
}

TEST(Notebook, CodeCellsAreOneProgram) {
  const Notebook read = notebook();
  EXPECT_EQ(read.program, "a = 1\nb = 'é'\nc = 3\nd = \"q\"\ne = 5\n\n");
  ASSERT_THAT(read.cells, SizeIs(3));
  EXPECT_EQ(read.cells[0].number, 2);
  EXPECT_EQ(read.cells[1].number, 3);
  EXPECT_EQ(read.cells[1].text, "d = \"q\"\ne = 5");
  EXPECT_EQ(read.language, "");
}

TEST(Notebook, PlacesAreTheCells) {
  const Notebook read = notebook();
  EXPECT_EQ(to_string(placed(read, {"a.ipynb", {2, 5}, {2, 9}})), "a.ipynb:cell 2:2:5");
  EXPECT_EQ(to_string(placed(read, {"a.ipynb", {5, 1}, {}})), "a.ipynb:cell 3:2:1");
  EXPECT_EQ(to_string(placed(read, {"a.ipynb", {}, {}})), "a.ipynb");
  EXPECT_EQ(placed(read, {"a.ipynb", {3, 1}, {4, 2}}).end, Position{}) << "ends in another cell";
  EXPECT_EQ(placed_note(read, "a.ipynb:4:3: odd"), "a.ipynb:cell 3:1:3: odd");
  EXPECT_EQ(placed_note(read, "about a.ipynb"), "about a.ipynb");
}

TEST(Notebook, LinesOfTheFile) {
  const Notebook read = notebook();
  EXPECT_EQ(line_in_file(read, {"a.ipynb", {1, 1}, {}, 2}), 8);
  EXPECT_EQ(line_in_file(read, {"a.ipynb", {3, 1}, {}, 2}), 10);
  EXPECT_EQ(line_in_file(read, {"a.ipynb", {2, 1}, {}, 3}), 13) << "one line of JSON holds it all";
}

TEST(Notebook, FixesThatSpanCellsAreLeft) {
  const Notebook read = notebook();
  Finding finding;
  finding.location = {"a.ipynb", {3, 1}, {3, 2}};
  Fix fix;
  fix.where = finding.location;
  finding.fixes.push_back(fix);
  Finding wide = finding;
  place(read, finding);
  EXPECT_EQ(finding.fixes.front().where.cell, 2);
  wide.fixes.front().where.end = {4, 1};
  place(read, wide);
  EXPECT_TRUE(wide.fixes.empty());
}

// Each edit is what a diff of the file shows, and nothing else.
std::string edited(int cell, const std::string& source, const std::string& was,
                   const std::string& is, const std::string& json = kNotebook) {
  std::string wanted = json;
  wanted.replace(wanted.find(was), was.size(), is);
  EXPECT_EQ(with_sources(notebook(json), {{cell, source}}), wanted);
  return wanted;
}

TEST(Notebook, EditsLeaveEveryOtherByte) {
  EXPECT_EQ(with_sources(notebook(), {}), kNotebook);
  EXPECT_EQ(with_sources(notebook(), {{2, "a = 1\nb = 'é'\nc = 3"}}), kNotebook);
  edited(2, "a = 1\nb = 'éa'\nc = 3", "\"b = 'é'\\n\"", "\"b = 'éa'\\n\"");
  edited(2, "a = 1\nc = 3", ",\n    \"b = 'é'\\n\"", "");
  edited(2, "b = 'é'\nc = 3", "\"a = 1\\n\",\n    ", "");
  edited(2, "x\na = 1\nb = 'é'\nc = 3", "\"a = 1\\n\"", "\"x\\n\",\n    \"a = 1\\n\"");
  edited(2, "a = 1\nb = 'é'\nx\n\"y\"\nc = 3", "\"b = 'é'\\n\"",
         "\"b = 'é'\\n\",\n    \"x\\n\",\n    \"\\\"y\\\"\\n\"");
  edited(2, "", "[\n    \"a = 1\\n\",\n    \"b = 'é'\\n\",\n    \"c = 3\"\n   ]", "[]");
  edited(3, "d\ne", R"("d = \"q\"\ne = 5")", R"("d\ne")");
  edited(5, "x\ny", "\"source\": []", "\"source\": [\"x\\n\", \"y\"]");
}

TEST(Notebook, EscapesAsTheFileDoes) {
  edited(1, "x = 'éa'", R"(["x = '\u00e9'"])", R"(["x = '\u00e9a'"])",
         R"({"cells": [{"cell_type": "code", "source": ["x = '\u00e9'"]}], "nbformat": 4})");
}

TEST(Notebook, OtherLanguagesAreNamed) {
  EXPECT_EQ(
      notebook(R"({"cells": [], "metadata": {"language_info": {"name": "R"}}, "nbformat": 4})")
          .language,
      "R");
}

std::string refused(const std::string& text) {
  const auto read = read_notebook(text, "a.ipynb");
  return read ? "read" : to_string(read.error());
}

TEST(Notebook, ErrorsHaveAPlace) {
  EXPECT_THAT(refused(""), HasSubstr("a.ipynb:1:1: error: is not JSON"));
  EXPECT_THAT(refused("{\n \"cells\": [,"), HasSubstr("a.ipynb:2:12: error: is not JSON"));
  EXPECT_THAT(refused(std::string("\0", 1)), HasSubstr("is not a text file"));
  EXPECT_THAT(refused("[]"), HasSubstr("has no list of cells"));
  EXPECT_THAT(refused("{\"cells\": 3, \"nbformat\": 4}"), HasSubstr("has no list of cells"));
  EXPECT_THAT(refused(R"({"worksheets": [], "nbformat": 3})"), HasSubstr("of nbformat 3"));
  EXPECT_THAT(refused(R"({"cells": [], "nbformat": 5})"), HasSubstr("of nbformat 5"));
  for (const char* source : {"3", "null", "[3]", "[[]]", "[{}]", "{}"}) {
    const std::string text =
        std::string(R"({"nbformat": 4, "cells": [{"cell_type": "code", "source": )") + source +
        "}]}";
    EXPECT_THAT(refused(text), HasSubstr("a.ipynb:1:")) << source;
    EXPECT_THAT(refused(text), HasSubstr("a cell's source")) << source;
  }
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("nested deeper than 200 levels"));
}

// Every beginning of a notebook is refused with a place, never read as a shorter one.
TEST(Notebook, CutShort) {
  const std::string whole = kNotebook;
  for (std::size_t length = 0; length + 2 < whole.size(); ++length)
    EXPECT_THAT(refused(whole.substr(0, length)), HasSubstr("error: is")) << length;
}

}  // namespace
}  // namespace forerun::engine
