#include "estimator/readers/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/readers/archives.h"

namespace forerun::readers {
namespace {

using testing::HasSubstr;

std::string problem(const std::string& bytes) {
  const auto zip = Zip::open(open_memory(bytes), "a.pt2");
  if (!zip) return to_string(zip.error());
  for (const ZipEntry& entry : zip->entries()) {
    const auto text = zip->read(entry, 1 << 20);
    if (!text) return to_string(text.error());
  }
  return "none";
}

TEST(Zip, GivesWhatWasStored) {
  for (const bool large : {false, true}) {
    const std::string bytes = zipped({{"a/one", "first"}, {"a/two", ""}}, large);
    const auto zip = Zip::open(open_memory(bytes), "a.pt2");
    ASSERT_TRUE(zip) << to_string(zip.error());
    ASSERT_EQ(zip->entries().size(), 2u);
    EXPECT_EQ(zip->entries()[0].name, "a/one");
    EXPECT_EQ(*zip->read(zip->entries()[0], 100), "first");
    EXPECT_EQ(*zip->read(zip->entries()[1], 100), "");
  }
}

TEST(Zip, RefusesWhatItDoesNotRead) {
  EXPECT_THAT(problem(zipped({{"a", "text"}}, false, 8)), HasSubstr("'a' is compressed"));
  EXPECT_THAT(problem("no archive at all, but long enough"),
              HasSubstr("a.pt2: error: zip: no end"));
  EXPECT_THAT(problem(""), HasSubstr("0 bytes are no archive"));
  const std::string bytes = zipped({{"a", "text"}});
  const auto zip = Zip::open(open_memory(bytes), "a.pt2");
  EXPECT_THAT(to_string(zip->read(zip->entries()[0], 3).error()), HasSubstr("more than 3"));
}

TEST(Zip, SaysWhatIsDamaged) {
  const std::string whole = zipped({{"a", "text"}, {"b", "more"}});
  std::string changed = whole;
  changed[changed.find("text")] = 'T';
  EXPECT_THAT(problem(changed), HasSubstr("'a' is damaged"));
}

// Cut anywhere, and with any byte changed, it is an error or the same text: never more.
TEST(Zip, HoldsWhateverIsDoneToIt) {
  for (const bool large : {false, true}) {
    const std::string whole = zipped({{"a", "text"}, {"b", "more"}}, large);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_NE(problem(whole.substr(0, i)), "none") << i;
      for (const char byte : {'\0', '\xFF', '\x7F'}) {
        std::string changed = whole;
        changed[i] = byte;
        problem(changed);
      }
    }
  }
}

}  // namespace
}  // namespace forerun::readers
