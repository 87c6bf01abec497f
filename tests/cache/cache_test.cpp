// What is stored is found again, by nothing but the same question, and nothing but whole.
#include "analyzer/cache/cache.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::cache {
namespace {

namespace fs = std::filesystem;

Entry example() {
  Entry entry;
  Finding finding;
  finding.rule_id = "graph-cut";
  finding.level = Level::Error;
  finding.location = {"a b.py", {3, 4}, {5, 6}, 7};
  finding.message = "what is \"so\"\n";
  finding.related.push_back({{"other.py", {1, 2}, {}}, "where"});
  finding.help = "do this";
  finding.fixes.push_back({"mend", {"a b.py", {3, 4}, {3, 5}}, std::string("\0x", 2)});
  entry.findings.push_back(finding);
  entry.notes = {"one", ""};
  entry.checked_notes = {"two"};
  entry.suppressed = 3;
  return entry;
}

class CacheTest : public ::testing::Test {
 protected:
  // The one entry that was stored.
  fs::path entry_file() const {
    for (const auto& at : fs::recursive_directory_iterator(folder_.path())) {
      if (at.is_regular_file() && at.path().filename() != "pruned") return at.path();
    }
    return {};
  }
  test::TemporaryFolder folder_;
};

TEST_F(CacheTest, GivesBackEveryField) {
  const auto back = from_bytes(to_bytes(example()));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_bytes(*back), to_bytes(example()));
  EXPECT_EQ(back->findings[0].location, example().findings[0].location);
  EXPECT_EQ(back->findings[0].fixes[0].replacement, example().findings[0].fixes[0].replacement);
  EXPECT_EQ(back->suppressed, 3);
}

TEST_F(CacheTest, FindsByAllPartsAndTheBuild) {
  Cache cache(folder_.path(), "build 1");
  EXPECT_FALSE(cache.find({"a.py", "text"}));
  cache.store({"a.py", "text"}, example());
  EXPECT_TRUE(cache.find({"a.py", "text"}));
  EXPECT_FALSE(cache.find({"a.pyt", "ext"}));
  EXPECT_FALSE(cache.find({"a.py", "text", ""}));
  EXPECT_FALSE(Cache(folder_.path(), "build 2").find({"a.py", "text"}));
  EXPECT_EQ(cache.trouble(), "");
}

TEST_F(CacheTest, DamagedEntriesAreMisses) {
  Cache cache(folder_.path(), "b");
  cache.store({"a"}, example());
  const std::string whole = to_bytes(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(from_bytes(whole.substr(0, size))) << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 0x40);
    EXPECT_FALSE(from_bytes(other)) << at;
  }
  EXPECT_FALSE(from_bytes(whole + "x"));
  std::ofstream(entry_file(), std::ios::trunc) << whole.substr(0, whole.size() / 2);
  EXPECT_FALSE(cache.find({"a"}));
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsOnlySaid) {
  const std::string file = folder_.write("file", "");
  Cache cache(file, "b");
  cache.store({"a"}, example());
  EXPECT_FALSE(cache.find({"a"}));
  EXPECT_NE(cache.trouble(), "");
}

TEST_F(CacheTest, KeepsWithinItsSize) {
  Cache cache(folder_.path(), "b");
  for (int i = 0; i < 20; ++i) cache.store({std::to_string(i)}, example());
  cache.prune(5 * 4096);
  int left = 0;
  for (int i = 0; i < 20; ++i) left += cache.find({std::to_string(i)}).has_value();
  EXPECT_EQ(left, 5);
}

}  // namespace
}  // namespace forerun::cache
