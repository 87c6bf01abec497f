#include "estimator/pipeline/timeline.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "estimator/pipeline/stages.h"

namespace forerun::pipeline {
namespace {

using ops::Event;
using ops::Recording;

constexpr std::size_t kSlack = kCategories - 1;

// Follows the events with the weights and reserved bytes of the replay.
class Reader {
 public:
  Reader(const Recording& recording, const Trace& trace) : recording_(recording), trace_(trace) {}

  std::vector<TimelinePoint> read() {
    for (std::size_t i = 0; i < recording_.events.size(); ++i) {
      const Event& event = recording_.events[i];
      if (event.kind == Event::Kind::StepBegins) step_ = event.subject;
      if (event.kind == Event::Kind::Allocate || event.kind == Event::Kind::Free) change(event);
      note(event, i);
    }
    return std::move(points_);
  }

 private:
  void change(const Event& event) {
    const auto id = static_cast<std::size_t>(event.subject);
    const std::int64_t sign = event.kind == Event::Kind::Allocate ? 1 : -1;
    const ops::Allocation& made = recording_.allocations[id];
    now_[static_cast<std::size_t>(made.category)] += sign * made.bytes;
    now_[kSlack] += sign * (trace_.block_bytes[id] - made.bytes);
    allocated_ += sign * trace_.block_bytes[id];
  }

  void note(const Event& event, std::size_t index) {
    const bool same = !points_.empty() && points_.back().op == event.op &&
                      points_.back().step == step_ && points_.back().phase == event.phase;
    if (!same) {
      points_.push_back({index, index, step_, event.phase, event.op, now_, allocated_, 0});
    }
    TimelinePoint& point = points_.back();
    point.end_event = index + 1;
    point.reserved_bytes = std::max(point.reserved_bytes, trace_.reserved_bytes[index]);
    if (allocated_ < point.allocated_bytes) return;
    point.allocated_bytes = allocated_;
    point.bytes = now_;
  }

  const Recording& recording_;
  const Trace& trace_;
  std::vector<TimelinePoint> points_;
  std::array<std::int64_t, kCategories> now_{};
  std::int64_t allocated_ = 0;
  int step_ = 0;
};

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::size_t event_of_peak(const Recording& recording, const Trace& trace,
                          const TimelinePoint& point) {
  std::int64_t allocated = 0;
  for (std::size_t i = 0; i < point.end_event; ++i) {
    const Event& event = recording.events[i];
    if (event.kind == Event::Kind::Allocate)
      allocated += trace.block_bytes[static_cast<std::size_t>(event.subject)];
    if (event.kind == Event::Kind::Free)
      allocated -= trace.block_bytes[static_cast<std::size_t>(event.subject)];
    if (i >= point.begin_event && allocated == point.allocated_bytes) return i;
  }
  return point.begin_event;
}

}  // namespace

std::string_view category_name(std::size_t category) {
  return category == kSlack ? "slack" : name(static_cast<ops::Category>(category));
}

Result<Timeline> timeline(const std::vector<const Spec*>& before, const Spec& spec,
                          const devices::Device& device) {
  const auto stages = build_stages(before, spec, device);
  if (!stages) return stages.error();
  const Recording& recording = stages->recording;
  Timeline made;
  auto trace = replay(recording, &device, spec.allocator);
  made.on_card = trace.has_value();
  if (!trace) trace = replay(recording, nullptr, spec.allocator);
  made.title = fmt::format("{} on {}, {}", spec.path, device.name, name(spec.framework));
  made.points = Reader(recording, *trace).read();
  made.ops.reserve(recording.ops.size());
  for (std::size_t op = 0; op < recording.ops.size(); ++op)
    made.ops.push_back(recording.op_text(static_cast<int>(op)));
  for (std::size_t i = 0; i < made.points.size(); ++i) {
    if (made.points[i].step > 0 &&
        made.points[i].allocated_bytes >
            (made.points[made.peak].step > 0 ? made.points[made.peak].allocated_bytes : -1))
      made.peak = i;
  }
  if (!made.points.empty())
    made.alive_at_peak =
        alive_after(recording, *trace, event_of_peak(recording, *trace, made.points[made.peak]));
  return made;
}

std::string to_chrome_trace(const Timeline& timeline) {
  std::string text = fmt::format(
      "{{\"otherData\":{{\"spec\":{},\"time\":\"one unit is one allocation or free\"}},\n"
      "\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{{"
      "\"name\":{}}}}}",
      quoted(timeline.title), quoted("forerun estimate: " + timeline.title));
  auto out = std::back_inserter(text);
  for (const TimelinePoint& point : timeline.points) {
    const std::string op = point.op < 0 ? std::string(name(point.phase))
                                        : timeline.ops[static_cast<std::size_t>(point.op)];
    fmt::format_to(
        out,
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":{},\"name\":{},\"cat\":\"{}\","
        "\"args\":{{\"step\":{},\"allocated_bytes\":{},\"reserved_bytes\":{}}}}}",
        point.begin_event, point.end_event - point.begin_event, quoted(op), name(point.phase),
        point.step, point.allocated_bytes, point.reserved_bytes);
    fmt::format_to(out,
                   ",\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{},\"name\":\"allocated bytes\",\"args\":{{",
                   point.begin_event);
    for (std::size_t i = 0; i < kCategories; ++i)
      fmt::format_to(out, "{}\"{}\":{}", i == 0 ? "" : ",", category_name(i), point.bytes[i]);
    fmt::format_to(
        out,
        "}}}},\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{},\"name\":\"reserved bytes\",\"args\":{{"
        "\"reserved\":{}}}}}",
        point.begin_event, point.reserved_bytes);
  }
  return text + "\n]}\n";
}

}  // namespace forerun::pipeline
