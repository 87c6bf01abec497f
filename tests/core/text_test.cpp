#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forerun {
namespace {

using ::testing::ElementsAre;

TEST(LineStarts, ALineEndBeginsALine) {
  EXPECT_THAT(line_starts(""), ElementsAre(0u));
  EXPECT_THAT(line_starts("ab"), ElementsAre(0u));
  EXPECT_THAT(line_starts("a\n\nb\n"), ElementsAre(0u, 2u, 3u, 5u));
}

TEST(PositionOf, LinesAndBytesFromOne) {
  EXPECT_EQ(position_of("ab\ncd", 0), (Position{1, 1}));
  EXPECT_EQ(position_of("ab\ncd", 2), (Position{1, 3}));
  EXPECT_EQ(position_of("ab\ncd", 4), (Position{2, 2}));
  EXPECT_EQ(position_of("ab\n", 99), (Position{2, 1})) << "beyond the text is its end";
}

TEST(ValidUtf8, BytesOfNoCharacterAreReplaced) {
  const std::string bad = "\xef\xbf\xbd";
  for (const char* kept : {"", "a", "\xc3\xa9", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(valid_utf8(kept), kept);
  EXPECT_EQ(valid_utf8("a\xd6\xd0z"), "a" + bad + bad + "z") << "GBK";
  EXPECT_EQ(valid_utf8("\xe2\x82"), bad + bad) << "cut short";
  EXPECT_EQ(valid_utf8("\xc0\xaf"), bad + bad) << "overlong";
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad) << "beyond U+10FFFF";
}

TEST(Utf16Units, PairsBeyondTheBasicPlane) {
  EXPECT_EQ(utf16_units(""), 0);
  EXPECT_EQ(utf16_units("a\xc3\xa9"), 2);  // é
  EXPECT_EQ(utf16_units("\xf0\x9f\x98\x80"
                        "b"),
            3);                           // U+1F600
  EXPECT_EQ(utf16_units("\xe2\x82"), 1);  // a character cut short
}

TEST(PercentEncoded, KeepsWhatIsNamed) {
  EXPECT_EQ(percent_encoded("a b/\xc3\xa9", "/"), "a%20b/%C3%A9");
  EXPECT_EQ(percent_encoded("a/b", ""), "a%2Fb");
}

}  // namespace
}  // namespace forerun
