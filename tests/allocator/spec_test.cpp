// The spec's `allocator:` key.
#include "core/spec.h"

#include <gtest/gtest.h>

namespace forerun {
namespace {

std::string spec_with(const std::string& allocator) {
  return "model: [{linear: {in: 4, out: 2}}]\ninput: {shape: [4]}\ntarget: {shape: []}\n"
         "batch_size: 2\noptimizer: sgd\nallocator: " +
         allocator + "\n";
}

TEST(AllocatorKey, TakesAMappingOrTheVariablesText) {
  const auto map = parse_spec(
      spec_with("{expandable_segments: true, roundup_power2_divisions: {256: 1, \">\": 4}}"), "s");
  const auto words =
      parse_spec(spec_with("expandable_segments:True,roundup_power2_divisions:[256:1,>:4]"), "s");
  ASSERT_TRUE(map) << to_string(map.error());
  ASSERT_TRUE(words) << to_string(words.error());
  EXPECT_EQ(map->allocator, words->allocator);
  EXPECT_TRUE(map->allocator.expandable_segments);
  EXPECT_EQ(map->allocator.roundup_power2_divisions[15], 4);
}

TEST(AllocatorKey, ErrorsHaveTheirPlace) {
  for (const auto& [allocator, column] :
       {std::pair{"{expandable_segment: true}", 13}, std::pair{"{max_split_size_mb: 19}", 32},
        std::pair{"max_split_size_mb:19", 30}, std::pair{"\"max_split_size_mb:19\"", 31},
        std::pair{"{max_split_size_mb: [64]}", 32}, std::pair{"[1]", 12}, std::pair{"12", 12},
        std::pair{"{roundup_power2_divisions: {256: [1]}}", 45}}) {
    const auto made = parse_spec(spec_with(allocator), "s");
    ASSERT_FALSE(made) << allocator;
    EXPECT_EQ(made.error().where.begin, (Position{6, column}))
        << allocator << ": " << to_string(made.error());
  }
}

}  // namespace
}  // namespace forerun
