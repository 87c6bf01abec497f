#include "verifier/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/units.h"

namespace forerun::compare {
namespace {

double relative_error(std::int64_t predicted, std::int64_t measured) {
  if (predicted == measured) return 0;
  if (measured == 0)
    return std::copysign(std::numeric_limits<double>::infinity(), static_cast<double>(predicted));
  return static_cast<double>(predicted - measured) / static_cast<double>(measured);
}

Comparison row(std::string what, std::int64_t predicted, std::int64_t measured, double tolerance) {
  const double error = relative_error(predicted, measured);
  return {std::move(what), predicted, measured, error, tolerance, std::abs(error) <= tolerance};
}

void append_step(std::size_t i, const StepMemory& predicted, const StepMemory& measured,
                 double tolerance, std::vector<Comparison>& rows) {
  const auto what = [i](const char* field) { return fmt::format("steps[{}].{}", i, field); };
  rows.push_back(row(what("peak_allocated_bytes"), predicted.peak_allocated_bytes,
                     measured.peak_allocated_bytes, tolerance));
  rows.push_back(row(what("peak_reserved_bytes"), predicted.peak_reserved_bytes,
                     measured.peak_reserved_bytes, tolerance));
  rows.push_back(row(what("end_allocated_bytes"), predicted.end_allocated_bytes,
                     measured.end_allocated_bytes, tolerance));
}

}  // namespace

Report compare(const Estimate& estimate, const Measurement& measurement, double step_tolerance) {
  Report report{estimate, measurement, {}, {}, false};
  report.rows.push_back(row("parameter_count", estimate.memory.parameter_count,
                            measurement.parameter_count, kParameters));
  report.rows.push_back(row("parameters_bytes", estimate.memory.parameters_bytes,
                            measurement.parameters_bytes, kParameters));
  const std::size_t predicted = estimate.memory.steps.size();
  for (std::size_t i = 0; i < measurement.steps.size(); ++i) {
    if (i < predicted) {
      append_step(i, estimate.memory.steps[i], measurement.steps[i], step_tolerance, report.rows);
    } else {
      report.not_compared.push_back(fmt::format("step {} was measured but not predicted", i + 1));
    }
  }
  report.within = report.not_compared.empty() && std::ranges::all_of(report.rows, &Comparison::ok);
  return report;
}

std::string verdict(const Report& report) {
  const auto total = report.rows.size();
  const auto bad =
      static_cast<std::size_t>(std::ranges::count(report.rows, false, &Comparison::ok));
  if (bad > 0) {
    const Comparison& first = *std::ranges::find(report.rows, false, &Comparison::ok);
    const std::int64_t difference = first.predicted - first.measured;
    return fmt::format("outside: {} of {} rows differ, first {} by {}{}", bad, total, first.what,
                       difference > 0 ? "+" : "-", with_thousands(std::abs(difference)));
  }
  if (!report.not_compared.empty()) return fmt::format("outside: {}", report.not_compared.front());
  const bool exact = std::ranges::all_of(
      report.rows, [](const Comparison& c) { return c.predicted == c.measured; });
  if (exact) return fmt::format("equal to the byte ({} rows)", total);
  const double tolerance = std::ranges::max(report.rows, {}, &Comparison::tolerance).tolerance;
  return fmt::format("within {:g} % ({} rows)", tolerance * 100, total);
}

}  // namespace forerun::compare
