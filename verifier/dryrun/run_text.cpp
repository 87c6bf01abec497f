#include <algorithm>

#include <fmt/format.h>

#include "core/units.h"
#include "verifier/dryrun/run_report.h"

namespace forerun::dryrun {
namespace {

std::string words(Category category) {
  std::string text = to_string(category);
  std::replace(text.begin(), text.end(), '_', ' ');
  if (category == Category::kData) return "copied from the host";
  return category == Category::kUnknown ? "not told apart" : text;
}

// The line, and who called it; `below`: what it calls into, where one call may be many.
std::string place_text(const Place& place, bool below) {
  std::string text = to_string(place);
  if (!place.called_from.empty()) return text + ", called from " + place.called_from;
  if (below && !place.below.empty()) text += ", through " + place.below;
  return text;
}

std::string plural(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", with_thousands(count), count == 1 ? one : many);
}

std::string share_line(std::int64_t bytes, std::int64_t total, const std::string& what) {
  return fmt::format(
      "    {:>17}  {:>10}  {:5.1f} %  {}\n", with_thousands(bytes), format_bytes(bytes),
      100.0 * static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(total, 1)),
      what);
}

// --- does it fit -------------------------------------------------------------------------------

std::string fit_text(const RunReport& report) {
  const DeviceUse* use = fullest(report.counts);
  if (use == nullptr) return "";
  if (report.does_not_fit)
    return fmt::format("  does not fit {} ({} usable)\n", report.gpu,
                       format_bytes(report.usable_bytes));
  const std::int64_t headroom = report.usable_bytes - use->driver_peak_bytes;
  const char* verdict = report.status == 0 ? "fits" : "fitted, as far as it came,";
  return fmt::format("  {} {}: {} to spare, besides {} of CUDA context\n", verdict, report.gpu,
                     format_bytes(headroom), format_bytes(report.context_bytes));
}

std::string failure_text(const Failure& failure) {
  std::string text = "  the allocation that did not fit: ";
  text += bytes_text(failure.tensor_bytes > 0 ? failure.tensor_bytes : failure.bytes);
  if (failure.bytes > 0)
    text += fmt::format(", for which cudaMalloc was asked {} and had {}",
                        format_bytes(failure.bytes), format_bytes(failure.free_bytes));
  text += fmt::format("\n    at {}, in {} of step {}{}\n", place_text(failure.place, true),
                      to_string(failure.at.phase), failure.at.step,
                      failure.raised ? "; PyTorch raised OutOfMemoryError" : "");
  return text;
}

// --- the peak ----------------------------------------------------------------------------------

std::string peak_text(const DeviceMemory& memory, bool several, bool is_long) {
  const std::int64_t total = memory.peak_bytes();
  if (total == 0) return "";
  std::string text =
      fmt::format("  {}peak: {} in {} of step {}\n",
                  several ? fmt::format("device {} ", memory.device) : std::string(),
                  bytes_text(total), to_string(memory.peak_at.phase), memory.peak_at.step);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < kCategories; ++i)
    if (memory.at_peak[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return memory.at_peak[a] > memory.at_peak[b];
  });
  // The smallest are one line in a short text.
  constexpr std::size_t kMostCategories = 7;
  std::int64_t rest_of_categories = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::int64_t bytes = memory.at_peak[order[at]];
    if (is_long || order.size() <= kMostCategories || at + 1 < kMostCategories)
      text += share_line(bytes, total, words(static_cast<Category>(order[at])));
    else
      rest_of_categories += bytes;
  }
  if (rest_of_categories > 0) text += share_line(rest_of_categories, total, "other categories");
  text += "  allocated at\n";
  const std::size_t most = is_long ? 30 : 3;
  std::int64_t rest = total;
  std::size_t shown = 0;
  for (const PlaceShare& share : memory.by_place) {
    if (shown == most) break;
    ++shown;
    rest -= share.bytes;
    text += share_line(share.bytes, total,
                       fmt::format("{}: {} ({})", place_text(share.place, is_long),
                                   words(share.category), plural(share.blocks, "block", "blocks")));
  }
  if (shown < memory.by_place.size())
    text += share_line(rest, total,
                       plural(static_cast<std::int64_t>(memory.by_place.size() - shown),
                              "other place", "other places"));
  if (!is_long) return text;
  text += "  largest blocks\n";
  for (const PeakBlock& block : memory.largest)
    text += share_line(block.bytes, total,
                       fmt::format("{}: {}", place_text(block.place, true), words(block.category)));
  return text;
}

std::string timeline_text(const DeviceMemory& memory) {
  std::string text =
      "  memory over the run, the highest of each share of it, MiB\n  step phase    ";
  for (std::size_t i = 0; i < kCategories; ++i)
    text += fmt::format(" {:>15}", words(static_cast<Category>(i)));
  text += "           total\n";
  const std::size_t stride = memory.timeline.size() / 40 + 1;
  for (std::size_t at = 0; at < memory.timeline.size(); at += stride) {
    const TimelineMoment* best = &memory.timeline[at];
    for (std::size_t i = at; i < std::min(at + stride, memory.timeline.size()); ++i)
      if (sum(memory.timeline[i].bytes) > sum(best->bytes)) best = &memory.timeline[i];
    text += fmt::format("  {:>4} {:<9}", best->moment.step, to_string(best->moment.phase));
    for (const std::int64_t bytes : best->bytes)
      text += fmt::format(" {:>15.1f}", static_cast<double>(bytes) / kMiB);
    text += fmt::format(" {:>15.1f}\n", static_cast<double>(sum(best->bytes)) / kMiB);
  }
  return text;
}

// --- the steps ---------------------------------------------------------------------------------

using Field = std::uint64_t EmuStep::*;
struct Row {
  const char* what;
  Field field;
  std::string (*shown)(std::int64_t);
  bool always;
};

std::string flops_text(std::int64_t flops) {
  const double value = static_cast<double>(flops);
  if (value >= 1e12) return fmt::format("{:.3f} T", value / 1e12);
  if (value >= 1e9) return fmt::format("{:.3f} G", value / 1e9);
  return fmt::format("{:.3f} M", value / 1e6);
}

const Row kRows[] = {
    {"kernel launches", &EmuStep::launches, with_thousands, true},
    {"matrix products, FLOP", &EmuStep::gemm_flops, flops_text, false},
    {"blocking waits", &EmuStep::blocking_calls, with_thousands, true},
    {"computed values read", &EmuStep::computed_reads, with_thousands, false},
    {"to the device", &EmuStep::bytes_to_device, format_bytes, true},
    {"  of it pageable", &EmuStep::pageable_bytes_to_device, format_bytes, false},
    {"to the host", &EmuStep::bytes_to_host, format_bytes, false},
    {"collectives", &EmuStep::collectives, with_thousands, false},
    {"  their bytes", &EmuStep::collective_bytes, format_bytes, false},
    {"peak allocated", &EmuStep::allocated_peak_bytes, format_bytes, true},
    {"allocated at the end", &EmuStep::allocated_end_bytes, format_bytes, true},
};

std::string steps_text(const ProcessAnalysis& analysis) {
  if (analysis.steps_ended == 0)
    return "  no end of a step was seen (a step of an optimizer): the figures are of the whole "
           "run\n";
  std::vector<EmuStep> columns = analysis.first_steps;
  std::string text = "  a step                ";
  for (const EmuStep& step : columns)
    text += fmt::format("  {:>12}", fmt::format("step {}", step.number));
  if (analysis.later && analysis.steps_ended > 3) {
    text += fmt::format("  {:>12}  (median of {} to {})", "later", analysis.later_from,
                        analysis.steps_ended);
    columns.push_back(*analysis.later);
  }
  text += "\n";
  for (const Row& row : kRows) {
    const bool is_zero = std::all_of(columns.begin(), columns.end(),
                                     [&](const EmuStep& step) { return step.*row.field == 0; });
    if (is_zero && !row.always) continue;
    text += fmt::format("    {:<20}", row.what);
    for (const EmuStep& step : columns)
      text += fmt::format("  {:>12}", row.shown(static_cast<std::int64_t>(step.*row.field)));
    text += "\n";
  }
  return text;
}

// --- what happens where ------------------------------------------------------------------------

std::string list_text(const std::string& title, const std::vector<Happening>& all, bool is_long,
                      bool with_bytes) {
  std::vector<const Happening*> shown;
  for (const Happening& one : all)
    if (is_long || one.count_per_step.value_or(one.count) > 0) shown.push_back(&one);
  if (shown.empty()) return "";
  std::string text = title;
  const std::size_t most = is_long ? 40 : 3;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i == most) {
      text += fmt::format("    and at {}\n", plural(static_cast<std::int64_t>(shown.size() - most),
                                                    "other place", "other places"));
      break;
    }
    const Happening& one = *shown[i];
    const std::int64_t count = one.count_per_step.value_or(one.count);
    text += fmt::format("    {:>6}  ", with_thousands(count));
    if (with_bytes)
      text += fmt::format("{:>10}  ", format_bytes(one.bytes_per_step.value_or(one.bytes)));
    if (!one.place.file.empty() || one.what.empty()) text += place_text(one.place, true);
    if (!one.place.file.empty() && !one.what.empty()) text += ": ";
    text += one.what;
    if (is_long && one.count_per_step)
      text += fmt::format(" ({} in all)", with_thousands(one.count));
    text += "\n";
  }
  return text;
}

std::string waits_text(const ProcessAnalysis& analysis, bool is_long) {
  const bool by_step = analysis.later.has_value();
  if (by_step && analysis.later->blocking_calls == 0 && !is_long)
    return "  the later steps never wait for the device\n";
  const char* when = by_step ? "a later step" : "in all";
  std::string text =
      list_text(fmt::format("  waits for the device, {}\n", when), analysis.waits, is_long, false);
  if (analysis.computed_reads.empty()) return text;
  return text +
         list_text(
             fmt::format("  reads of what a kernel would have computed (zeros here), {}\n", when),
             analysis.computed_reads, is_long, false);
}

std::string growth_text(const Growth& growth, bool is_long) {
  if (growth.steps == 0) return "";
  if (!growth.can_tell)
    return fmt::format("  growth: {} do not tell, {} would\n",
                       plural(growth.steps, "step", "steps"), kStepsToTellGrowth);
  if (!growth.grows) return fmt::format("  growth: none over {} steps\n", growth.steps);
  const std::string stretch =
      growth.to_step == growth.steps
          ? fmt::format("over {} steps", growth.steps)
          : fmt::format("from step {} to {}", growth.from_step + 1, growth.to_step);
  std::string text = fmt::format("  growth: {} more at the end of each step, {}\n",
                                 format_bytes(growth.bytes_per_step), stretch);
  const std::size_t most = is_long ? 20 : 3;
  for (std::size_t i = 0; i < std::min(most, growth.places.size()); ++i) {
    const GrowingPlace& place = growth.places[i];
    text += fmt::format("    {:>10} a step  {} ({}, {} by step {})\n",
                        format_bytes(place.bytes_per_step), place_text(place.place, is_long),
                        plural(place.blocks, "block", "blocks"), format_bytes(place.bytes),
                        growth.to_step);
  }
  return text;
}

std::string lost_text(const ProcessAnalysis& analysis) {
  std::string text;
  if (analysis.lost_events > 0) {
    text +=
        fmt::format("  the middle of the run, steps {} to {}, is counted but not kept ({})\n",
                    with_thousands(analysis.lost_from_step), with_thousands(analysis.lost_to_step),
                    plural(analysis.lost_events, "event", "events"));
  }
  if (analysis.lost_names + analysis.lost_sites > 0)
    text += fmt::format("  call sites or names that found no room in the log: {}\n",
                        with_thousands(analysis.lost_names + analysis.lost_sites));
  if (analysis.nonsense > 0)
    text += fmt::format("  entries of the log that make no sense and were left out: {}\n",
                        with_thousands(analysis.nonsense));
  return text;
}

std::string process_text(const ProcessAnalysis& analysis, bool is_long) {
  std::string text;
  if (analysis.failure) text += failure_text(*analysis.failure);
  for (const DeviceMemory& memory : analysis.devices)
    text += peak_text(memory, analysis.devices.size() > 1, is_long);
  if (is_long)
    for (const DeviceMemory& memory : analysis.devices) text += timeline_text(memory);
  text += steps_text(analysis);
  text += waits_text(analysis, is_long);
  const char* when = analysis.later ? "a later step" : "in all";
  if (is_long) {
    text += list_text(fmt::format("  copies, {}\n", when), analysis.copies, true, true);
    text += list_text(fmt::format("  collectives, {}\n", when), analysis.collectives, true, true);
    text += list_text(fmt::format("  kernels, {}\n", when), analysis.kernels, true, false);
    text += list_text(fmt::format("  matrix products, {}\n", when), analysis.gemms, true, false);
  }
  text += growth_text(analysis.growth, is_long);
  return text + lost_text(analysis);
}

std::string ranks_text(const std::vector<std::int64_t>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  const bool in_a_row = ranks.back() - ranks.front() == static_cast<std::int64_t>(ranks.size()) - 1;
  if (in_a_row) return fmt::format("ranks {} to {}, alike", ranks.front(), ranks.back());
  return fmt::format("ranks {}, alike", fmt::join(ranks, ", "));
}

std::string brief_text(const ProcessAnalysis& analysis) {
  std::int64_t peak = 0;
  for (const DeviceMemory& memory : analysis.devices) peak = std::max(peak, memory.peak_bytes());
  return fmt::format(
      "peak {}, {}{}{}\n", bytes_text(peak), plural(analysis.steps_ended, "step", "steps"),
      analysis.growth.grows ? ", grows" : "", analysis.failure ? ", ran out of memory" : "");
}

}  // namespace

std::string to_text(const RunReport& report, bool is_long) {
  if (report.counts.processes == 0) return "  the program did not use the device\n";
  std::string text = memory_text(report.counts, report.usable_bytes) + fit_text(report);
  constexpr std::size_t kBriefly = 6;
  const bool several = report.processes.size() > 1 ||
                       (!report.processes.empty() && report.processes[0].ranks.size() > 1);
  for (std::size_t i = 0; i < report.processes.size(); ++i) {
    const ProcessGroup& group = report.processes[i];
    const bool in_full = i == 0 || is_long;
    if (!in_full && i > kBriefly) {
      text += fmt::format("  and {} more that differ\n", report.processes.size() - i);
      break;
    }
    if (several) text += fmt::format("  {}:{}", ranks_text(group.ranks), in_full ? "\n" : " ");
    text += in_full ? process_text(group.analysis, is_long) : brief_text(group.analysis);
  }
  if (report.lost_processes > 0)
    text += fmt::format("  processes that found no room in the log: {}\n", report.lost_processes);
  return text + counts_text(report.counts, is_long ? SIZE_MAX - 1 : 5);
}

}  // namespace forerun::dryrun
