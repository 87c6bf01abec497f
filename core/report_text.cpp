#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/report_writers.h"
#include "core/units.h"

namespace forerun {
namespace {

constexpr std::size_t kMostParts = 12;  // of the peak, before "smaller parts"
constexpr std::size_t kMostLayers = 6;  // named beside the activations

using Out = std::back_insert_iterator<std::string>;

void write_row(Out out, std::string_view name, std::int64_t bytes, std::string_view note) {
  fmt::format_to(out, "  {:<28}{:>22}{:>13}{}{}\n", name, with_thousands(bytes),
                 format_bytes(bytes), note.empty() ? "" : "  ", note);
}

std::string list_parts(const std::vector<Part>& parts, std::size_t most) {
  std::vector<Part> sorted = parts;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) {
    text +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", sorted[i].what, format_bytes(sorted[i].bytes));
  }
  if (sorted.size() > most) text += fmt::format(", {} more", sorted.size() - most);
  return text;
}

void write_verdict(Out out, const Estimate& estimate) {
  const MemoryEstimate& memory = estimate.memory;
  const std::int64_t total =
      memory.peak_reserved_bytes + memory.context_bytes + memory.headroom_bytes;
  if (memory.fits) {
    fmt::format_to(
        out, "fits {}: {} reserved at the peak and {} of CUDA context, of {}; {} to spare\n",
        estimate.gpu, format_bytes(memory.peak_reserved_bytes), format_bytes(memory.context_bytes),
        format_bytes(total), format_bytes(memory.headroom_bytes));
    return;
  }
  fmt::format_to(out, "does not fit {}: it needs {} at the peak and {} of CUDA context, of {}\n",
                 estimate.gpu, format_bytes(memory.peak_reserved_bytes),
                 format_bytes(memory.context_bytes), format_bytes(total));
  if (!memory.out_of_memory) return;
  const OutOfMemoryAt& full = *memory.out_of_memory;
  fmt::format_to(out, "it stops {} in {}{}{}, for {}; PyTorch would say:\n  {}\n",
                 full.step == 0 ? "before the first step" : fmt::format("in step {}", full.step),
                 full.phase, full.op.empty() ? "" : ", ", full.op, full.what, full.message);
}

void write_memory(Out out, const MemoryEstimate& memory) {
  fmt::format_to(out, "\nmemory{:>46}\n", "bytes");
  write_row(out, "parameters", memory.parameters_bytes,
            fmt::format("{} of them", with_thousands(memory.parameter_count)));
  write_row(out, "gradients", memory.gradients_bytes, "");
  const std::int64_t trained =
      memory.parameters_bytes + memory.gradients_bytes + memory.optimizer_state_bytes;
  write_row(out, "optimizer state", memory.optimizer_state_bytes,
            fmt::format("{} with parameters and gradients", format_bytes(trained)));
  write_row(out, "activations kept", memory.activations_bytes, "");
  write_row(out, "workspaces", memory.workspaces_bytes, list_parts(memory.workspaces, kMostLayers));
  write_row(out, "peak allocated", memory.peak_allocated_bytes, "");
  write_row(out, "peak reserved", memory.peak_reserved_bytes, "");
  if (!memory.activations.empty()) {
    fmt::format_to(out, "  kept for backward: {}\n", list_parts(memory.activations, kMostLayers));
  }
  fmt::format_to(out, "\nstep{:>22}{:>22}{:>26}\n", "peak allocated", "peak reserved",
                 "allocated at its end");
  for (std::size_t i = 0; i < memory.steps.size(); ++i) {
    const StepMemory& step = memory.steps[i];
    fmt::format_to(
        out, "  {:<2}{:>22}{:>22}{:>26}\n", i + 1, with_thousands(step.peak_allocated_bytes),
        with_thousands(step.peak_reserved_bytes), with_thousands(step.end_allocated_bytes));
  }
}

void write_part(Out out, std::int64_t bytes, std::int64_t total, std::string_view category,
                std::string_view what) {
  const double share = 100.0 * static_cast<double>(bytes) / static_cast<double>(total);
  fmt::format_to(out, "{:>18}{:>13}{:>7.1f} %  {:<16} {}\n", with_thousands(bytes),
                 format_bytes(bytes), share, category, what);
}

void write_peak(Out out, const Peak& peak) {
  fmt::format_to(out, "\nwhy: step {}, {}\n", peak.step, peak.op.empty() ? peak.phase : peak.op);
  std::int64_t total = 0;
  for (const Part& part : peak.alive) total += part.bytes;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < peak.alive.size(); ++i) {
    const Part& part = peak.alive[i];
    if (i < kMostParts)
      write_part(out, part.bytes, total, part.category, part.what);
    else
      rest += part.bytes;
  }
  if (peak.alive.size() > kMostParts) {
    const std::size_t more = peak.alive.size() - kMostParts;
    write_part(out, rest, total, "", fmt::format("{} smaller part{}", more, more == 1 ? "" : "s"));
  }
  fmt::format_to(out, "{:>18}{:>13}\n", with_thousands(total), format_bytes(total));
}

// Step 1 has no optimizer state before its end and makes the workspaces; a different story is told
// too.
void write_peaks(Out out, const MemoryEstimate& memory) {
  std::size_t highest = 0;
  for (std::size_t i = 0; i < memory.steps.size(); ++i) {
    if (memory.steps[i].peak_allocated_bytes > memory.steps[highest].peak_allocated_bytes)
      highest = i;
  }
  if (highest < memory.peaks.size()) write_peak(out, memory.peaks[highest]);
}

std::string interval(const TimeInterval& time) {
  return fmt::format("{:>10}   ({} to {})", format_seconds(time.expected_s),
                     format_seconds(time.low_s), format_seconds(time.high_s));
}

void write_time(Out out, const TimeEstimate& time) {
  fmt::format_to(out, "\ntime of a step, {}\n", time.confidence);
  fmt::format_to(out, "  {:<14}{}\n", "forward", interval(time.forward));
  fmt::format_to(out, "  {:<14}{}\n", "backward", interval(time.backward));
  fmt::format_to(out, "  {:<14}{}\n", "optimizer", interval(time.optimizer));
  fmt::format_to(out, "  {:<14}{}   bound by {}, MFU {:.1f} %\n", "step", interval(time.step),
                 time.bound_by, 100 * time.mfu);
  if (time.steps_per_epoch)
    fmt::format_to(out, "  {} batches an epoch\n", with_thousands(*time.steps_per_epoch));
  if (!time.run) return;
  fmt::format_to(out, "  {} optimizer steps in all: {}\n",
                 with_thousands(time.optimizer_steps.value_or(0)),
                 interval(*time.run).substr(interval(*time.run).find_first_not_of(' ')));
}

}  // namespace

std::string to_text(const std::vector<Estimate>& estimates) {
  std::string text;
  const Out out = std::back_inserter(text);
  for (const Estimate& estimate : estimates) {
    if (!text.empty()) text += "\n";
    fmt::format_to(out, "{} on {}, {}\n", estimate.spec_path, estimate.gpu, estimate.framework);
    write_verdict(out, estimate);
    write_memory(out, estimate.memory);
    write_peaks(out, estimate.memory);
    write_time(out, estimate.time);
    for (const std::string& what : estimate.unmodelled)
      fmt::format_to(out, "\nnot modelled: {}\n", what);
  }
  return text;
}

}  // namespace forerun
