// Prediction against measurement, row by row, and the verdict.
#pragma once

#include <string>
#include <vector>

#include "core/report.h"
#include "verifier/compare/tolerance.h"

namespace forerun::compare {

struct Report {
  Estimate estimate;
  Measurement measurement;
  std::vector<Comparison> rows;
  std::vector<std::string>
      not_compared;     // steps that only one side has, in words; they make the verdict false
  bool within = false;  // every row ok and nothing left out
};

// Rows: parameter_count, parameters_bytes, then for each measured step peak_allocated_bytes,
// peak_reserved_bytes and end_allocated_bytes. A measurement without steps (cpu) is compared in its
// parameters alone. `step_tolerance` is relative to the measured value.
Report compare(const Estimate& estimate, const Measurement& measurement,
               double step_tolerance = kStepMemory);

// "equal to the byte (11 rows)", "within 1 % (11 rows)", "outside: 2 of 11 rows differ, first ...".
std::string verdict(const Report& report);

// A table a spec, its notes and its verdict line.
std::string render_text(const std::vector<Report>& reports);

// One object for one spec, a list for several: tool, version, context, estimate.memory (what was
// compared), measurement, comparison, verdict.
std::string render_json(const std::vector<Report>& reports);

}  // namespace forerun::compare
