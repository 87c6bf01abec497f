// What fuzzing found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/engine/baseline.h"
#include "analyzer/engine/configuration.h"

namespace forerun::engine {
namespace {

using ::testing::HasSubstr;

TEST(OddInput, NumbersBeyondAnyRange) {
  const auto read = read_baseline("4405722520e56544", "b.json");
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr("b.json: error: holds a number beyond any range"));
}

TEST(OddInput, BareCharactersBeyondAscii) {
  const auto read = read_configuration("select = []\nt=-unscale-i\xc6\x8c[twice", "forerun.toml");
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr("forerun.toml:2:13: error: a character outside"));
  for (const char* fine :
       {"exclude = [\"\xc3\xa9\"]", "exclude = ['\xc3\xa9']  # \xc3\xa9",
        "exclude = [\"\"\"\n\xc3\xa9\"\"\", '''\xc3\xa9''']", "exclude = [\"\\\"\xc3\xa9\"]"}) {
    const auto settings = read_configuration(fine, "forerun.toml");
    EXPECT_TRUE(settings) << fine;
  }
}

TEST(OddInput, CharactersBeyondAsciiAfterAQuoteOutOfPlace) {
  const auto read =
      read_configuration("iores = {\"t/**\" =1[.\"ne[\xef\xbb\xb6il-on = \"", "forerun.toml");
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr("forerun.toml:1"));
  const auto keys = read_configuration(
      "[lint.per-file-ignores]\n\"\xc3\xa9/*\" = []\n\"\xc3\xa8/*\" = []\n", "forerun.toml");
  EXPECT_TRUE(keys) << to_string(keys.error());
}

}  // namespace
}  // namespace forerun::engine
