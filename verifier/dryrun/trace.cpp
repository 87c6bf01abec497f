#include "verifier/dryrun/trace.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "verifier/dryrun/blocks.h"
#include "verifier/dryrun/happenings.h"
#include "verifier/dryrun/memory_timeline.h"
#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {
namespace {

using Json = nlohmann::json;

constexpr int kStepsThread = 0;  // threads of the program are behind it
constexpr std::size_t kCounterPoints = 4000;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Nanoseconds as microseconds.
std::string microseconds(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

bool is_slice_kind(std::uint16_t kind) {
  return kind == EMU_EVENT_BLOCK || kind == EMU_EVENT_COPY || kind == EMU_EVENT_COLLECTIVE ||
         kind == EMU_EVENT_OUT_OF_MEMORY || kind == EMU_EVENT_TORCH_OUT_OF_MEMORY ||
         kind == EMU_EVENT_COMPUTED_READ || kind == EMU_EVENT_GRAPH;
}

class ProcessTrace {
 public:
  ProcessTrace(const ProcessLog& log, const PathStyle& style, std::int64_t number, std::size_t room)
      : log_(log),
        sites_(log, style),
        moments_(moments_of(log, sites_)),
        blocks_(blocks_of(log, moments_, sites_)),
        number_(number),
        room_(room) {}

  void write() {
    metadata();
    steps();
    memory();
    const auto kinds = {+[](const EmuEvent& e) { return is_slice_kind(e.kind); },
                        +[](const EmuEvent& e) { return e.kind == EMU_EVENT_GEMM; },
                        +[](const EmuEvent& e) { return e.kind == EMU_EVENT_LAUNCH; }};
    for (const auto kind : kinds)
      for (const EmuEvent& event : log_.events)
        if (kind(event)) instant(event);
  }

  std::string entries;
  std::int64_t left_out = 0;
  std::size_t room() const { return room_; }

 private:
  void put(const std::string& entry) {
    if (room_ == 0) {
      ++left_out;
      return;
    }
    --room_;
    if (!entries.empty()) entries += ",\n";
    entries += entry;
  }

  void name_of(const char* what, int thread, const std::string& name) {
    put(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", number_,
                    thread, what, quoted(name)));
  }

  void metadata() {
    name_of("process_name", 0, fmt::format("rank {}", log_.rank));
    name_of("thread_name", kStepsThread, "steps");
    name_of("thread_name", 1 + EMU_THREAD_MAIN, "main");
    name_of("thread_name", 1 + EMU_THREAD_AUTOGRAD, "autograd");
    name_of("thread_name", 1 + EMU_THREAD_OTHER, "other threads");
  }

  void slice(const std::string& name, std::size_t begin, std::size_t end) {
    const std::uint64_t from = log_.events[begin].time_ns;
    const std::uint64_t to = std::max(from, log_.events[end - 1].time_ns);
    put(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{}}})", number_,
                    kStepsThread, microseconds(from), microseconds(to - from), quoted(name)));
  }

  void steps() {
    for (const StepSpan& span : moments_.spans) {
      slice(fmt::format("step {}{}", span.number, span.ended ? "" : ", not ended"), span.begin,
            span.end);
      std::size_t begin = span.begin;
      for (std::size_t i = span.begin; i < span.end; ++i) {
        const bool ends =
            i + 1 == span.end || moments_.of_event[i + 1].phase != moments_.of_event[i].phase;
        if (!ends) continue;
        slice(to_string(moments_.of_event[i].phase), begin, i + 1);
        begin = i + 1;
      }
    }
  }

  void memory() {
    std::set<int> devices;
    for (const Block& block : blocks_.all) devices.insert(block.device);
    for (const int device : devices)
      for (const TimelinePoint& point : timeline(blocks_.all, device, kCounterPoints))
        counter(device, point);
  }

  void counter(int device, const TimelinePoint& point) {
    std::string values;
    for (std::size_t i = 0; i < kCategories; ++i)
      values += fmt::format(R"({}"{}":{})", i == 0 ? "" : ",", to_string(static_cast<Category>(i)),
                            point.bytes[i]);
    put(fmt::format(
        R"({{"ph":"C","pid":{},"ts":{},"name":"device {} allocated, bytes","args":{{{}}}}})",
        number_, microseconds(log_.events[point.event].time_ns), device, values));
  }

  std::string title(const EmuEvent& event) const {
    switch (event.kind) {
      case EMU_EVENT_BLOCK: return "waits: " + log_.name(event.a);
      case EMU_EVENT_COPY: return "copy " + copy_text(event);
      case EMU_EVENT_COLLECTIVE: return log_.name(event.a);
      case EMU_EVENT_COMPUTED_READ: return "reads a computed value";
      case EMU_EVENT_GEMM: return "matrix product " + gemm_text(event);
      case EMU_EVENT_LAUNCH: return kernel_name(log_.name(event.a));
      case EMU_EVENT_GRAPH: return "graph";
      default: return "out of memory";
    }
  }

  static std::string amount(const EmuEvent& event) {
    switch (event.kind) {
      case EMU_EVENT_GEMM: return fmt::format(R"("flops":{})", gemm_flops(event));
      case EMU_EVENT_COLLECTIVE: return fmt::format(R"("bytes":{},"ranks":{})", event.b, event.c);
      case EMU_EVENT_LAUNCH: return fmt::format(R"("blocks":{},"threads":{})", event.b, event.c);
      case EMU_EVENT_GRAPH: return fmt::format(R"("nodes":{})", event.a);
      case EMU_EVENT_BLOCK: return {};
      default: return fmt::format(R"("bytes":{})", event.a);
    }
  }

  void instant(const EmuEvent& event) {
    if (room_ == 0) {
      ++left_out;
      return;
    }
    const int place = sites_.place_of(event.site);
    std::string arguments = amount(event);
    if (place != 0) {
      if (!arguments.empty()) arguments += ",";
      arguments += "\"at\":" + quoted(to_string(sites_.place(place)));
    }
    put(fmt::format(R"({{"ph":"i","s":"t","pid":{},"tid":{},"ts":{},"name":{},"args":{{{}}}}})",
                    number_, 1 + event.thread, microseconds(event.time_ns), quoted(title(event)),
                    arguments));
  }

  const ProcessLog& log_;
  CallSites sites_;
  Moments moments_;
  Blocks blocks_;
  std::int64_t number_;
  std::size_t room_;
};

}  // namespace

void Trace::add(const ProcessLog& log, const PathStyle& style, std::size_t expected) {
  const std::size_t share = room_ / std::max<std::size_t>(1, expected);
  ProcessTrace process(log, style, processes_++, share);
  process.write();
  room_ -= share - process.room();
  left_out_ += process.left_out;
  if (process.entries.empty()) return;
  if (!entries_.empty()) entries_ += ",\n";
  entries_ += process.entries;
}

std::string Trace::text() const {
  return fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"tool\":\"forerun dry-run\",\"entries left "
      "out\":{}}},\n"
      "\"traceEvents\":[\n{}\n]}}\n",
      left_out_, entries_);
}

}  // namespace forerun::dryrun
