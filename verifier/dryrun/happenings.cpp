#include "verifier/dryrun/happenings.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace forerun::dryrun {
namespace {

struct Tally {
  std::int64_t count = 0, bytes = 0, flops = 0;
  void add(const Counted& counted) {
    ++count;
    bytes += counted.bytes;
    flops += counted.flops;
  }
};

struct Group {
  Tally all;
  std::map<std::size_t, Tally> by_span;
};

// The spans whose steps stand for the run.
std::vector<std::size_t> later_spans(const Moments& moments) {
  std::vector<StepSpan> whole;
  for (const StepSpan& span : moments.spans)
    if (span.whole) whole.push_back(span);
  const std::int64_t first = first_later_step(whole);
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < moments.spans.size(); ++i)
    if (moments.spans[i].whole && moments.spans[i].number >= first) later.push_back(i);
  return later;
}

std::optional<std::int64_t> median_over(const Group& group, const std::vector<std::size_t>& spans,
                                        std::int64_t Tally::*what) {
  if (spans.empty()) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const std::size_t span : spans) {
    const auto at = group.by_span.find(span);
    values.push_back(at == group.by_span.end() ? 0 : at->second.*what);
  }
  return median(std::move(values));
}

// cudaDataType_t, library_types.h of CUDA 12 and 13.
std::string type_name(std::uint64_t type) {
  static const std::map<std::uint64_t, const char*> names = {
      {0, "fp32"},       {1, "fp64"},  {2, "fp16"},      {3, "int8"},      {4, "complex64"},
      {5, "complex128"}, {14, "bf16"}, {28, "fp8_e4m3"}, {29, "fp8_e5m2"}, {10, "int32"}};
  const auto at = names.find(type);
  return at == names.end() ? fmt::format("type {}", type) : at->second;
}

// The product of counts that may be nonsense, at most what fits.
std::int64_t product(std::initializer_list<std::uint64_t> factors) {
  unsigned __int128 result = 1;
  for (const std::uint64_t factor : factors) {
    result *= factor;
    if (result > INT64_MAX) return INT64_MAX;
  }
  return static_cast<std::int64_t>(result);
}

std::int64_t bounded(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, 1ull << 50));
}

}  // namespace

std::vector<Happening> happenings(const ProcessLog& log, const Moments& moments, CallSites& sites,
                                  const Selector& select) {
  std::map<std::pair<int, std::string>, Group> groups;
  for (std::size_t span = 0; span < moments.spans.size(); ++span) {
    for (std::size_t i = moments.spans[span].begin; i < moments.spans[span].end; ++i) {
      const std::optional<Counted> counted = select(log.events[i]);
      if (!counted) continue;
      const int place = counted->by_place ? sites.place_of(log.events[i].site) : 0;
      Group& group = groups[{place, counted->what}];
      group.all.add(*counted);
      group.by_span[span].add(*counted);
    }
  }
  const std::vector<std::size_t> later = later_spans(moments);
  std::vector<Happening> result;
  for (const auto& [key, group] : groups) {
    Happening happening{sites.place(key.first),
                        key.second,
                        group.all.count,
                        group.all.bytes,
                        group.all.flops,
                        0,
                        median_over(group, later, &Tally::count),
                        median_over(group, later, &Tally::bytes),
                        median_over(group, later, &Tally::flops)};
    for (const auto& [span, tally] : group.by_span)
      if (moments.spans[span].number == 1) happening.first_step += tally.count;
    result.push_back(std::move(happening));
  }
  std::stable_sort(result.begin(), result.end(), [](const Happening& a, const Happening& b) {
    return std::pair(a.count_per_step.value_or(0), a.count) >
           std::pair(b.count_per_step.value_or(0), b.count);
  });
  return result;
}

std::vector<Happening> waits_of(const ProcessLog& log, const Moments& moments, CallSites& sites) {
  return happenings(log, moments, sites, [&](const EmuEvent& event) -> std::optional<Counted> {
    if (event.kind != EMU_EVENT_BLOCK) return std::nullopt;
    return Counted{log.name(event.a)};
  });
}

std::vector<Happening> computed_reads_of(const ProcessLog& log, const Moments& moments,
                                         CallSites& sites) {
  return happenings(log, moments, sites, [](const EmuEvent& event) -> std::optional<Counted> {
    if (event.kind != EMU_EVENT_COMPUTED_READ) return std::nullopt;
    return Counted{"", bounded(event.a)};
  });
}

std::vector<Happening> copies_of(const ProcessLog& log, const Moments& moments, CallSites& sites) {
  return happenings(log, moments, sites, [](const EmuEvent& event) -> std::optional<Counted> {
    if (event.kind != EMU_EVENT_COPY) return std::nullopt;
    const std::uint64_t direction = event.b & EMU_COPY_DIRECTION;
    if (direction != EMU_COPY_TO_DEVICE && direction != EMU_COPY_TO_HOST) return std::nullopt;
    return Counted{copy_text(event), bounded(event.a)};
  });
}

std::vector<Happening> collectives_of(const ProcessLog& log, const Moments& moments,
                                      CallSites& sites) {
  return happenings(log, moments, sites, [&](const EmuEvent& event) -> std::optional<Counted> {
    if (event.kind != EMU_EVENT_COLLECTIVE) return std::nullopt;
    return Counted{log.name(event.a), bounded(event.b)};
  });
}

std::vector<Happening> kernels_of(const ProcessLog& log, const Moments& moments, CallSites& sites) {
  std::unordered_map<std::uint64_t, std::string> shortened;
  return happenings(log, moments, sites, [&](const EmuEvent& event) -> std::optional<Counted> {
    if (event.kind != EMU_EVENT_LAUNCH) return std::nullopt;
    const auto [at, is_new] = shortened.try_emplace(event.a);
    if (is_new) at->second = kernel_name(log.name(event.a));
    return Counted{at->second.empty() ? "a kernel without a name" : at->second, 0, 0, false};
  });
}

std::vector<Happening> gemms_of(const ProcessLog& log, const Moments& moments, CallSites& sites) {
  return happenings(log, moments, sites, [](const EmuEvent& event) -> std::optional<Counted> {
    if (event.kind != EMU_EVENT_GEMM) return std::nullopt;
    return Counted{gemm_text(event), 0, gemm_flops(event), false};
  });
}

std::int64_t gemm_flops(const EmuEvent& gemm) {
  const std::uint64_t batch = std::max<std::uint64_t>(1, gemm.b & 0xffffffffu);
  return product({2, gemm.a >> 32, gemm.a & 0xffffffffu, gemm.b >> 32, batch});
}

std::string gemm_text(const EmuEvent& gemm) {
  const std::uint64_t batch = gemm.b & 0xffffffffu;
  return fmt::format("{}{} x {} x {} {}",
                     batch > 1 ? fmt::format("{} times ", batch) : std::string(), gemm.a >> 32,
                     gemm.a & 0xffffffffu, gemm.b >> 32, type_name(gemm.c & 0xff));
}

std::string copy_text(const EmuEvent& copy) {
  const std::uint64_t direction = copy.b & EMU_COPY_DIRECTION;
  std::string text = direction == EMU_COPY_TO_DEVICE   ? "to the device"
                     : direction == EMU_COPY_TO_HOST   ? "to the host"
                     : direction == EMU_COPY_ON_DEVICE ? "on the device"
                                                       : "between devices";
  if (direction == EMU_COPY_TO_DEVICE || direction == EMU_COPY_TO_HOST)
    text += (copy.b & EMU_COPY_PINNED) != 0 ? ", pinned" : ", pageable";
  if ((copy.b & EMU_COPY_BLOCKING) != 0) text += ", waits";
  return text;
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace forerun::dryrun
