#include "estimator/pipeline/trace.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/units.h"
#include "estimator/allocator/caching_allocator.h"
#include "estimator/allocator/out_of_memory.h"

namespace forerun::pipeline {
namespace {

using allocator::CachingAllocator;
using ops::Event;
using ops::Recording;

class Replay {
 public:
  Replay(const Recording& recording, std::optional<allocator::Memory> memory,
         const AllocatorOptions& options, FullDevice* full)
      : recording_(recording),
        allocator_(memory, options),
        blocks_(recording.allocations.size()),
        full_(full) {
    trace_.block_bytes.resize(recording.allocations.size());
    trace_.reserved_bytes.resize(recording.events.size());
  }

  std::optional<Trace> run() {
    for (std::size_t i = 0; i < recording_.events.size(); ++i) {
      if (!apply(recording_.events[i], i)) return std::nullopt;
      trace_.reserved_bytes[i] = allocator_.statistics().reserved_bytes;
    }
    trace_.retries = allocator_.statistics().retries;
    return std::move(trace_);
  }

 private:
  bool apply(const Event& event, std::size_t index) {
    switch (event.kind) {
      case Event::Kind::Allocate: return allocate(event.subject, index);
      case Event::Kind::Free:
        allocator_.free(blocks_[static_cast<std::size_t>(event.subject)]);
        return true;
      case Event::Kind::EmptyCache: allocator_.empty_cache(); return true;
      case Event::Kind::ForwardEnds: return true;
      case Event::Kind::StepBegins:
        allocator_.reset_peaks();
        peak_event_ = index;
        return true;
      case Event::Kind::StepEnds: end_step(event.subject); return true;
    }
    return true;
  }

  bool allocate(int subject, std::size_t index) {
    const auto id = static_cast<std::size_t>(subject);
    const std::int64_t before = allocator_.statistics().peak_allocated_bytes;
    CachingAllocator::Block* block = allocator_.allocate(recording_.allocations[id].bytes);
    if (block == nullptr) return tell(id, index);
    blocks_[id] = block;
    trace_.block_bytes[id] = CachingAllocator::size_bytes(block);
    if (allocator_.statistics().peak_allocated_bytes > before) peak_event_ = index;
    return true;
  }

  bool tell(std::size_t id, std::size_t index) {
    if (full_ == nullptr) return false;
    full_->event = index;
    full_->message =
        allocator::message(allocator::out_of_memory(allocator_, recording_.allocations[id].bytes));
    return false;
  }

  void end_step(int step) {
    if (step == 0) return;  // of a spec that ran before
    const allocator::Statistics& now = allocator_.statistics();
    trace_.steps.push_back(
        {{now.peak_allocated_bytes, now.peak_reserved_bytes, now.allocated_bytes}, peak_event_});
  }

  const Recording& recording_;
  CachingAllocator allocator_;
  std::vector<CachingAllocator::Block*> blocks_;
  FullDevice* full_;
  std::size_t peak_event_ = 0;
  Trace trace_;
};

std::string print_events(const Recording& recording, const Trace* trace) {
  std::string text;
  auto out = std::back_inserter(text);
  int op = -1;
  for (const Event& event : recording.events) {
    if (event.op != op && event.kind != Event::Kind::StepBegins &&
        event.kind != Event::Kind::StepEnds) {
      op = event.op;
      fmt::format_to(out, "# {}: {}\n", name(event.phase), recording.op_text(event.op));
    }
    const auto id = static_cast<std::size_t>(event.subject);
    switch (event.kind) {
      case Event::Kind::Allocate: {
        const ops::Allocation& made = recording.allocations[id];
        fmt::format_to(out, "+{} {}{}  {}\n", id, made.bytes,
                       trace == nullptr ? "" : fmt::format(" -> {}", trace->block_bytes[id]),
                       recording.text(made));
        break;
      }
      case Event::Kind::Free:
        fmt::format_to(out, "-{} {}\n", id, recording.allocations[id].bytes);
        break;
      case Event::Kind::EmptyCache: fmt::format_to(out, "empty cache\n"); break;
      case Event::Kind::StepBegins: fmt::format_to(out, "--- step {}\n", event.subject); break;
      case Event::Kind::ForwardEnds: fmt::format_to(out, "--- forward ends\n"); break;
      case Event::Kind::StepEnds: fmt::format_to(out, "--- step ends\n"); break;
    }
  }
  return text;
}

}  // namespace

std::optional<Trace> replay(const Recording& recording, const devices::Device* card,
                            const AllocatorOptions& options, FullDevice* full) {
  std::optional<allocator::Memory> memory;
  if (card != nullptr) memory.emplace(card->usable_bytes(), card->total_memory_bytes);
  return Replay(recording, memory, options, full).run();
}

std::vector<std::size_t> alive_ids(const Recording& recording, std::size_t event) {
  std::vector<bool> alive(recording.allocations.size());
  for (std::size_t i = 0; i <= event; ++i) {
    const Event& seen = recording.events[i];
    if (seen.kind == Event::Kind::Allocate) alive[static_cast<std::size_t>(seen.subject)] = true;
    if (seen.kind == Event::Kind::Free) alive[static_cast<std::size_t>(seen.subject)] = false;
  }
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < alive.size(); ++id)
    if (alive[id]) ids.push_back(id);
  return ids;
}

std::vector<Part> alive_after(const Recording& recording, const Trace& trace, std::size_t event) {
  std::vector<std::size_t> ids = alive_ids(recording, event);
  const auto bytes_of = [&](std::size_t id) { return recording.allocations[id].bytes; };
  std::int64_t slack = 0;
  for (const std::size_t id : ids) slack += trace.block_bytes[id] - bytes_of(id);
  std::stable_sort(ids.begin(), ids.end(),
                   [&](std::size_t a, std::size_t b) { return bytes_of(a) > bytes_of(b); });
  std::vector<Part> parts;
  parts.reserve(ids.size() + 1);
  const auto add_slack = [&](std::int64_t next_bytes) {
    if (slack <= next_bytes) return;
    parts.push_back({"allocator rounding and unsplit blocks", "slack", slack});
    slack = 0;
  };
  for (const std::size_t id : ids) {
    const ops::Allocation& made = recording.allocations[id];
    add_slack(made.bytes);
    parts.push_back({recording.text(made), std::string(name(made.category)), made.bytes});
  }
  add_slack(0);
  return parts;
}

std::string print(const Recording& recording) { return print_events(recording, nullptr); }
std::string print(const Recording& recording, const Trace& trace) {
  return print_events(recording, &trace);
}

}  // namespace forerun::pipeline
