// The timeline says what the report says, and its page and trace can be read by what reads them.
#include "estimator/pipeline/timeline.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/spec.h"
#include "estimator/pipeline/estimate.h"

namespace forerun::pipeline {
namespace {

Spec spec_of(const std::string& name, const std::string& more = "") {
  auto spec = parse_spec(
      "model: [{linear: {in: 1024, out: 2048}}, relu, {linear: {in: 2048, out: 10}}]\n"
      "input: {shape: [1024]}\ntarget: {shape: []}\nbatch_size: 4096\noptimizer: adamw\n" +
          more,
      name);
  EXPECT_TRUE(spec) << to_string(spec.error());
  return *spec;
}

struct Shown {
  Timeline timeline;
  Estimate estimate;
};
Shown show(const Spec& spec) {
  const auto device = devices::find("h100-sxm-80gb");
  auto made = timeline({}, spec, *device);
  auto estimates = estimate({spec}, *device);
  EXPECT_TRUE(made && estimates);
  return {*made, estimates->front()};
}

TEST(Timeline, ReachesThePeaksOfTheReport) {
  for (const std::string more : {"", "allocator: {expandable_segments: true}\n"}) {
    const auto [timeline, estimate] = show(spec_of("s.yaml", more));
    for (std::size_t step = 0; step < estimate.memory.steps.size(); ++step) {
      std::int64_t allocated = 0, reserved = 0;
      for (const TimelinePoint& point : timeline.points) {
        if (point.step != static_cast<int>(step) + 1) continue;
        allocated = std::max(allocated, point.allocated_bytes);
        reserved = std::max(reserved, point.reserved_bytes);
      }
      EXPECT_EQ(allocated, estimate.memory.steps[step].peak_allocated_bytes);
      EXPECT_EQ(reserved, estimate.memory.steps[step].peak_reserved_bytes);
    }
    std::int64_t alive = 0;
    for (const Part& part : timeline.alive_at_peak) alive += part.bytes;
    EXPECT_EQ(alive, estimate.memory.peak_allocated_bytes);
  }
}

TEST(Timeline, CategoriesAddUp) {
  for (const TimelinePoint& point : show(spec_of("s.yaml")).timeline.points)
    EXPECT_EQ(std::accumulate(point.bytes.begin(), point.bytes.end(), std::int64_t{0}),
              point.allocated_bytes);
}

TEST(ChromeTrace, IsJsonWithEveryPoint) {
  const Timeline timeline = show(spec_of("a \"strange\" <name>\xff.yaml")).timeline;
  const auto json = nlohmann::json::parse(to_chrome_trace(timeline));
  const auto& events = json["traceEvents"];
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const auto& event) { return event["ph"] == "X"; }),
            static_cast<std::ptrdiff_t>(timeline.points.size()));
  std::int64_t last = -1;
  for (const auto& event : events) {
    if (event["ph"] != "X") continue;
    EXPECT_GT(event["ts"], last);  // slices do not overlap
    EXPECT_GE(event["dur"], 1);
    last = event["ts"];
  }
}

TEST(Page, NeedsNothingElseAndHoldsTheData) {
  const auto [timeline, estimate] = show(spec_of("</script><b>&.yaml"));
  const std::string page = to_html(timeline, estimate);
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  const std::string opening = "id=\"data\">";
  const std::size_t begin = page.find(opening) + opening.size();
  const auto json =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(json["points"].size(), timeline.points.size());
  EXPECT_EQ(json["points"][timeline.peak]["allocated"], estimate.memory.peak_allocated_bytes);
  EXPECT_EQ(page, to_html(timeline, estimate));
}

}  // namespace
}  // namespace forerun::pipeline
