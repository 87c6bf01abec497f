#include <cmath>

#include <nlohmann/json.hpp>

#include "core/version.h"
#include "verifier/compare/compare.h"

namespace forerun::compare {
namespace {

using Json = nlohmann::ordered_json;

Json steps_json(const std::vector<StepMemory>& steps) {
  Json list = Json::array();
  for (const StepMemory& step : steps) {
    list.push_back({{"peak_allocated_bytes", step.peak_allocated_bytes},
                    {"peak_reserved_bytes", step.peak_reserved_bytes},
                    {"end_allocated_bytes", step.end_allocated_bytes}});
  }
  return list;
}

Json memory_json(std::int64_t parameter_count, std::int64_t parameters_bytes,
                 const std::vector<StepMemory>& steps) {
  Json memory;
  memory["parameters"] = {{"count", parameter_count}, {"bytes", parameters_bytes}};
  memory["steps"] = steps_json(steps);
  return memory;
}

Json row_json(const Comparison& row) {
  Json error = nullptr;  // predicted something where nothing was measured: no ratio
  if (std::isfinite(row.error)) error = row.error;
  return {{"what", row.what}, {"predicted", row.predicted}, {"measured", row.measured},
          {"error", error},   {"tolerance", row.tolerance}, {"ok", row.ok}};
}

Json one(const Report& report) {
  const Measurement& measured = report.measurement;
  Json json;
  json["tool"] = "forerun verify";
  json["version"] = kVersion;
  json["context"] = {{"spec", measured.spec_path},
                     {"gpu", report.estimate.gpu},
                     {"framework", measured.framework}};
  const MemoryEstimate& memory = report.estimate.memory;
  json["estimate"] = {
      {"memory", memory_json(memory.parameter_count, memory.parameters_bytes, memory.steps)},
      {"unmodelled", report.estimate.unmodelled}};
  json["measurement"] = {
      {"device", measured.device},
      {"device_name", measured.device_name},
      {"memory", memory_json(measured.parameter_count, measured.parameters_bytes, measured.steps)},
      {"notes", measured.notes}};
  json["comparison"] = Json::array();
  for (const Comparison& row : report.rows) json["comparison"].push_back(row_json(row));
  json["not_compared"] = report.not_compared;
  json["within"] = report.within;
  json["verdict"] = verdict(report);
  return json;
}

}  // namespace

std::string render_json(const std::vector<Report>& reports) {
  if (reports.size() == 1) return one(reports.front()).dump(2) + "\n";
  Json list = Json::array();
  for (const Report& report : reports) list.push_back(one(report));
  return list.dump(2) + "\n";
}

}  // namespace forerun::compare
