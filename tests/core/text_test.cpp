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
