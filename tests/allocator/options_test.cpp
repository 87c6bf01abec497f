#include <gtest/gtest.h>

#include "core/allocator_options.h"

namespace forerun {
namespace {

AllocatorOptions read(const std::string& words) {
  const auto made = parse_allocator_options(words, {});
  EXPECT_TRUE(made) << words << ": " << (made ? "" : to_string(made.error()));
  return made ? *made : AllocatorOptions{};
}

TEST(AllocatorOptions, ReadWhatTheEnvironmentVariableSays) {
  const AllocatorOptions options = read(
      "expandable_segments:True, max_split_size_mb : 128,max_non_split_rounding_mb:64,"
      "large_segment_size_mb:32,garbage_collection_threshold:0.6,per_process_memory_fraction:0.5");
  EXPECT_TRUE(options.expandable_segments);
  EXPECT_EQ(options.max_split_size_mb, 128);
  EXPECT_EQ(options.max_non_split_rounding_mb, 64);
  EXPECT_EQ(options.large_segment_size_mb, 32);
  EXPECT_EQ(options.garbage_collection_threshold, 0.6);
  EXPECT_EQ(options.per_process_memory_fraction, 0.5);
}

TEST(AllocatorOptions, NothingIsTheDefaults) {
  EXPECT_EQ(read(""), AllocatorOptions{});
  EXPECT_EQ(read("  "), AllocatorOptions{});
  EXPECT_EQ(read("backend:native,pinned_use_background_threads:True"), AllocatorOptions{});
  EXPECT_EQ(text(AllocatorOptions{}), "");
}

// The first size also stands for the smaller ones, > for what is above the last one named; seen in
// 2.11 itself.
TEST(AllocatorOptions, DivisionsGoBySize) {
  using Divisions = decltype(AllocatorOptions::roundup_power2_divisions);
  EXPECT_EQ(read("roundup_power2_divisions:[4:1,16:2,>:8]").roundup_power2_divisions,
            (Divisions{1, 1, 1, 0, 2, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(read("roundup_power2_divisions:[256:2,]").roundup_power2_divisions,
            (Divisions{2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(read("roundup_power2_divisions:[>:8,8:2]").roundup_power2_divisions,
            (Divisions{2, 2, 2, 2, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(read("roundup_power2_divisions:[32768:2,>:4]").roundup_power2_divisions[15], 2);
  EXPECT_EQ(read("roundup_power2_divisions:4").roundup_power2_divisions[15], 4);
  EXPECT_EQ(read("roundup_power2_divisions:[]"), AllocatorOptions{});
}

TEST(AllocatorOptions, TextReadsBackAsItself) {
  for (const std::string& words :
       {std::string("expandable_segments:True"), std::string("max_split_size_mb:64"),
        std::string("roundup_power2_divisions:8"),
        std::string(
            "large_segment_size_mb:32,max_split_size_mb:33,per_process_memory_fraction:0.25"),
        text(read("roundup_power2_divisions:[1:0,2:4,>:16]"))})
    EXPECT_EQ(text(read(words)), words);
}

struct Bad {
  std::string words;
  int column;
  std::string says;
};

TEST(AllocatorOptions, ErrorsAreAtTheOffendingWord) {
  for (const Bad& bad : {
           Bad{"expandable_segment:True", 1, "allocator option 'expandable_segment' is not known"},
           Bad{"expandable_segments:true", 21, "allocator option expandable_segments is 'true'"},
           Bad{"max_split_size_mb:64, max_split_size_mb:19", 41, "is '19'"},
           Bad{"max_split_size_mb:64MB", 19, "is '64MB'"},
           Bad{"large_segment_size_mb:40,max_split_size_mb:30", 44, "is '30'"},
           Bad{"large_segment_size_mb:10", 23, "is '10'"},
           Bad{"max_split_size_mb:99999999999999999999", 19, "is '99999999999999999999'"},
           Bad{"garbage_collection_threshold:1", 30, "is '1'"},
           Bad{"garbage_collection_threshold:nan", 30, "is 'nan'"},
           Bad{"per_process_memory_fraction:1.5", 29, "is '1.5'"},
           Bad{"roundup_power2_divisions:3", 26, "is '3'"},
           Bad{"roundup_power2_divisions:[3:4]", 26, "is '[3:4]'"},
           Bad{"roundup_power2_divisions:[4:4", 26, "is '[4:4'"},
           Bad{"roundup_power2_divisions:[4", 26, "is '[4'"},
           Bad{"backend:cudaMallocAsync", 9, "cudaMallocAsync backend is not modelled"},
           Bad{"expandable_segments", 1, "has no value"},
           Bad{"expandable_segments:True,,", 26, "has no name"},
           Bad{":", 1, "has no name"},
       }) {
    const auto made = parse_allocator_options(bad.words, {"conf", {}, {}});
    ASSERT_FALSE(made) << bad.words;
    EXPECT_EQ(made.error().where.begin, (Position{1, bad.column})) << bad.words;
    EXPECT_NE(made.error().message.find(bad.says), std::string::npos) << made.error().message;
  }
}

TEST(AllocatorOptions, PagesOfExpandableSegmentsAreWholeOnes) {
  EXPECT_FALSE(parse_allocator_options("expandable_segments:True,large_segment_size_mb:19", {}));
  EXPECT_TRUE(parse_allocator_options("large_segment_size_mb:19", {}));
}

}  // namespace
}  // namespace forerun
