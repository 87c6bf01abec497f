// Fixes: what is put into a text, and the diff that shows it.
#include "analyzer/engine/fixes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace forerun::engine {
namespace {

constexpr const char* kText = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

Fix fix(Position begin, Position end, const std::string& replacement,
        const std::string& file = "a.py") {
  return {"a fix", {file, begin, end}, replacement};
}

Finding finding(std::vector<Fix> fixes) {
  Finding one;
  one.fixes = std::move(fixes);
  return one;
}

TEST(Fixes, NothingToDoChangesNothing) {
  const Fixed fixed = apply_fixes({finding({})}, {{"a.py", kText}});
  EXPECT_EQ(fixed.applied, 0);
  EXPECT_EQ(fixed.left, 0);
  EXPECT_TRUE(fixed.texts.empty());
  EXPECT_EQ(fixed.diff, "");
}

TEST(Fixes, ReplacesAndShowsThreeLinesAround) {
  const Fixed fixed =
      apply_fixes({finding({fix({5, 1}, {5, 5}, "FIVE")})}, {{"a.py", kText}, {"b.py", "x\n"}});
  EXPECT_EQ(fixed.applied, 1);
  ASSERT_EQ(fixed.texts.size(), 1u);
  EXPECT_EQ(fixed.texts.at("a.py"), "one\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\nten\n");
  EXPECT_EQ(fixed.diff,
            "--- a.py\n+++ a.py\n@@ -2,7 +2,7 @@\n two\n three\n four\n-five\n+FIVE\n six\n seven\n"
            " eight\n");
}

TEST(Fixes, InsertsWhereNoEndIsGiven) {
  const Fixed fixed = apply_fixes({finding({fix({1, 4}, {0, 0}, ".detach()")})}, {{"a.py", kText}});
  EXPECT_EQ(fixed.texts.at("a.py").substr(0, 14), "one.detach()\nt");
}

TEST(Fixes, NearEditsShareAHunkAndFarOnesDoNot) {
  const Fixed near =
      apply_fixes({finding({fix({2, 1}, {2, 4}, "2")}), finding({fix({4, 1}, {4, 5}, "4\n4b")})},
                  {{"a.py", kText}});
  EXPECT_EQ(near.diff,
            "--- a.py\n+++ a.py\n@@ -1,7 +1,8 @@\n one\n-two\n-three\n-four\n+2\n+three\n+4\n+4b\n"
            " five\n six\n seven\n");
  std::string lines;
  for (int i = 1; i <= 30; ++i) lines += std::to_string(i) + "\n";
  const Fixed far =
      apply_fixes({finding({fix({2, 1}, {3, 1}, "")}), finding({fix({20, 1}, {20, 3}, "twenty")})},
                  {{"a.py", lines}});
  EXPECT_EQ(far.diff,
            "--- a.py\n+++ a.py\n@@ -1,6 +1,5 @@\n 1\n-2\n 3\n 4\n 5\n 6\n@@ -17,7 +16,7 @@\n 17\n"
            " 18\n 19\n-20\n+twenty\n 21\n 22\n 23\n");
}

TEST(Fixes, AFindingIsMendedWholeOrNotAtAll) {
  const Fixed fixed = apply_fixes({finding({fix({1, 1}, {1, 4}, "1")}),
                                   finding({fix({3, 1}, {3, 6}, "3"), fix({1, 2}, {1, 3}, "N")})},
                                  {{"a.py", kText}});
  EXPECT_EQ(fixed.applied, 1);
  EXPECT_EQ(fixed.left, 1);
  EXPECT_EQ(fixed.texts.at("a.py").substr(0, 12), "1\ntwo\nthree\n");
}

TEST(Fixes, TwoOfOneFindingThatTouchAreLeft) {
  const Fixed fixed = apply_fixes({finding({fix({1, 1}, {1, 3}, "a"), fix({1, 2}, {1, 4}, "b")})},
                                  {{"a.py", kText}});
  EXPECT_EQ(fixed.applied, 0);
  EXPECT_EQ(fixed.left, 1);
}

TEST(Fixes, PlacesOutsideTheTextAreLeft) {
  const std::vector<Fix> wrong = {fix({11, 1}, {11, 2}, "x"), fix({0, 1}, {1, 2}, "x"),
                                  fix({1, 9}, {1, 10}, "x"), fix({2, 1}, {1, 1}, "x"),
                                  fix({1, 1}, {1, 2}, "x", "unknown.py")};
  for (const Fix& one : wrong) {
    const Fixed fixed = apply_fixes({finding({one})}, {{"a.py", kText}});
    EXPECT_EQ(fixed.left, 1);
    EXPECT_TRUE(fixed.texts.empty());
  }
}

TEST(Fixes, AFileWithoutAFinalLineEndKeepsItsEnd) {
  const Fixed fixed = apply_fixes({finding({fix({2, 2}, {0, 0}, "()")})}, {{"a.py", "a\nb"}});
  EXPECT_EQ(fixed.texts.at("a.py"), "a\nb()");
  EXPECT_EQ(fixed.diff,
            "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b()\n"
            "\\ No newline at end of file\n");
}

}  // namespace
}  // namespace forerun::engine
