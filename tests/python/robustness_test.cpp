// Text that is cut off, broken, deep, or in another encoding: an answer or an error, never a crash,
// and the IR's invariants hold of every answer.
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyzer/ir/ir.h"
#include "analyzer/ir/verify.h"
#include "analyzer/python/frontend.h"
#include "tests/support/golden.h"

namespace forerun {
namespace {

std::vector<std::string> sources() {
  std::vector<std::string> found;
  const std::string root = std::string(FORERUN_SOURCE_DIR) + "/tests/lowering";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".py") found.push_back(test::read_all(entry.path().string()));
  }
  return found;
}

// Lowers, prints, verifies; the printed text, or "" for an error with a message.
std::string survive(const std::string& text) {
  const Result<ir::Program> program = python::lower(text, "case.py");
  if (!program) {
    EXPECT_FALSE(program.error().message.empty());
    return {};
  }
  for (const Error& broken : ir::verify(*program))
    ADD_FAILURE() << to_string(broken) << "\nin:\n" << text;
  return ir::print(*program);
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(Robustness, EveryPrefixOfEveryCase) {
  for (const std::string& text : sources()) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      survive(text.substr(0, length));
      if (HasFailure()) return;
    }
  }
}

TEST(Robustness, RandomChanges) {
  std::mt19937 random(20240607);
  const std::string pieces =
      "()[]{}:,.=+-*@\n\t #\\\"'\xff\xc3"
      "defclasswithasfor0";
  for (const std::string& text : sources()) {
    for (int round = 0; round < 400; ++round) {
      std::string changed = text;
      for (int change = 0; change < 4 && !changed.empty(); ++change) {
        const std::size_t at = random() % changed.size();
        const std::size_t length = std::min<std::size_t>(random() % 8, changed.size() - at);
        switch (random() % 3) {
          case 0: changed.erase(at, length); break;
          case 1: changed.insert(at, 1, pieces[random() % pieces.size()]); break;
          default: changed.insert(at, changed.substr(random() % changed.size(), length)); break;
        }
      }
      survive(changed);
      if (HasFailure()) return;
    }
  }
}

TEST(Robustness, DepthIsBounded) {
  survive(repeated("(", 100000) + "1" + repeated(")", 100000) + "\n");
  constexpr int deep = 10000;
  for (const std::string& text : {
           repeated("[", deep) + "1" + repeated("]", deep) + "\n",
           repeated("(", deep),
           "x = " + repeated("not ", deep) + "y\n",
           "x = " + repeated("-", deep) + "y\n",
           "x = " + repeated("f(", deep) + repeated(")", deep) + "\n",
           "x = a" + repeated(".b", deep) + "\n",
           "x = a" + repeated("[0]", deep) + "\n",
           "x = a" + repeated("()", deep) + "\n",
           "x = " + repeated("lambda: ", deep) + "1\n",
           "x = " + repeated("1 if y else ", deep) + "2\n",
           "x = 1" + repeated(" + 1", deep) + "\n",
           "x = 1" + repeated(" and 1", deep) + "\n",
           "x = 1" + repeated(" < 1", deep) + "\n",
           repeated("x = ", deep) + "1\n",
           "if a:\n  b()\n" + repeated("elif a:\n  b()\n", deep),
           "with a" + repeated(", b", deep) + ":\n  c()\n",
           "match a:\n" + repeated(" case 1:\n  b()\n", deep),
           "x = [a" + repeated(" for b in c", deep) + "]\n",
           repeated("@torch.no_grad()\n", deep) + "def f(): pass\n",
           "import torch\n" + repeated("@torch.no_grad()\n", deep) + "def f(): pass\n",
           "x = " + repeated("a[", deep) + "0" + repeated("]", deep) + "\n",
       }) {
    survive(text);
  }
  std::string nested;
  for (int i = 0; i < 2000; ++i)
    nested += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
  survive(nested + std::string(2000, ' ') + "b()\n");
}

TEST(Robustness, LongSumsAreReadWhole) {
  const std::string printed = survive("x = a" + repeated(" + a", 500) + "\n");
  EXPECT_NE(printed.find("x = arith:add (%499, a)"), std::string::npos);
}

TEST(Robustness, DeepTextIsSaid) {
  const Result<ir::Program> program = python::lower(
      "f(1)\nx = " + repeated("(", 5000) + "g()" + repeated(")", 5000) + "\nf(2)\n", "deep.py");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->notes.size(), 1U);
  EXPECT_EQ(program->notes[0].find("deep.py:2:"), 0U) << program->notes[0];
  EXPECT_NE(program->notes[0].find("nested deeper than"), std::string::npos);
  const std::string printed = ir::print(*program);
  EXPECT_NE(printed.find("call:f (1)"), std::string::npos);
  EXPECT_NE(printed.find("call:f (2)"), std::string::npos);
}

TEST(Robustness, BinaryIsAnError) {
  const Result<ir::Program> nul = python::lower(std::string("x = 1\0y = 2\n", 12), "a.py");
  ASSERT_FALSE(nul);
  EXPECT_NE(nul.error().message.find("NUL"), std::string::npos);
  EXPECT_EQ(nul.error().where.file, "a.py");
  std::mt19937 random(7);
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>(1 + random() % 255);
  survive(noise);
}

TEST(Robustness, TextThatIsNotPythonIsAnErrorOrNoted) {
  const Result<ir::Program> program = python::lower(
      "<html><body class='a'>{{ no }}</body></html>\n@@@ ((( ]]] %%% $$$ ???\n", "a.py");
  if (program) {
    EXPECT_FALSE(program->notes.empty());
  }
}

TEST(Robustness, SyntaxErrorsAreNotedAndTheRestIsRead) {
  const Result<ir::Program> program =
      python::lower("f(1)\nx = = 2\nf(3)\ndef g(:\n    pass\nf(4)\n", "a.py");
  ASSERT_TRUE(program);
  ASSERT_FALSE(program->notes.empty());
  EXPECT_EQ(program->notes[0].find("a.py:2:"), 0U) << program->notes[0];
  const std::string printed = ir::print(*program);
  for (const char* kept : {"call:f (1)", "call:f (3)", "call:f (4)"})
    EXPECT_NE(printed.find(kept), std::string::npos) << kept;
}

TEST(Robustness, ManySyntaxErrorsAreCounted) {
  const Result<ir::Program> program = python::lower(repeated("f(1)\nx = = 2\n", 200), "a.py");
  ASSERT_TRUE(program);
  EXPECT_LE(program->notes.size(), 21U);
  EXPECT_NE(program->notes.back().find("more syntax errors"), std::string::npos)
      << program->notes.back();
}

TEST(Robustness, EncodingsAndLineEnds) {
  const std::string plain = "def f(x):\n    y = g(x)  # noqa\n    return y\n";
  const std::string expected = survive(plain);
  ASSERT_FALSE(expected.empty());
  std::string windows, tabs;
  for (const char c : plain) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(survive(windows), expected);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain.compare(i, 4, "    ") == 0) {
      tabs += '\t';
      i += 3;
    } else {
      tabs += plain[i];
    }
  }
  EXPECT_EQ(survive(tabs), expected);
  EXPECT_EQ(survive("\xef\xbb\xbf" + plain), expected);
  EXPECT_EQ(survive("# caf\xe9\n" + plain), expected) << "latin-1 in a comment";
  EXPECT_EQ(survive(plain.substr(0, plain.size() - 1)), expected) << "no newline at the end";
  survive("x = 'caf\xe9'\nf(x)\n");
  survive(
      "\xff\xfe"
      "f\x01(\x01x)\n");
  EXPECT_EQ(survive(""), "");
  EXPECT_EQ(survive("\n\n# nothing\n"), "");
}

TEST(Robustness, LocationsCountFromOneAndSkipTheByteOrderMark) {
  const Result<ir::Program> program = python::lower(
      "\xef\xbb\xbf"
      "f(1)\r\n  # own\r\ng(2)  # after\r\n",
      "a.py");
  ASSERT_TRUE(program);
  const auto& body = program->functions.at(0).body;
  const auto& first = std::get<ir::Op>(body.at(0).value).at;
  EXPECT_EQ(to_string(first), "a.py:1:1");
  EXPECT_EQ(first.end.column, 5);
  EXPECT_EQ(to_string(std::get<ir::Op>(body.at(1).value).at), "a.py:3:1");
  ASSERT_EQ(program->comments.size(), 2U);
  EXPECT_EQ(program->comments[0].text, "own");
  EXPECT_TRUE(program->comments[0].own_line);
  EXPECT_EQ(program->comments[1].text, "after");
  EXPECT_FALSE(program->comments[1].own_line);
  EXPECT_EQ(to_string(program->comments[1].at), "a.py:3:7");
}

}  // namespace
}  // namespace forerun
