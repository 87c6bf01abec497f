#include <nlohmann/json.hpp>

#include "core/report_writers.h"
#include "core/version.h"

namespace forerun {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts)
    list.push_back({{"what", part.what}, {"category", part.category}, {"bytes", part.bytes}});
  return list;
}

Json to_json(const TimeInterval& interval) {
  return {{"low_ms", interval.low_s * 1e3},
          {"expected_ms", interval.expected_s * 1e3},
          {"high_ms", interval.high_s * 1e3}};
}

Json to_json(const Peak& peak) {
  return {
      {"step", peak.step}, {"phase", peak.phase}, {"op", peak.op}, {"alive", to_json(peak.alive)}};
}

// The step whose peak is the largest of all: the first that reaches it.
const Peak* highest(const MemoryEstimate& memory) {
  for (std::size_t i = 0; i < memory.steps.size() && i < memory.peaks.size(); ++i) {
    if (memory.steps[i].peak_allocated_bytes == memory.peak_allocated_bytes)
      return &memory.peaks[i];
  }
  return nullptr;
}

Json to_json(const MemoryEstimate& memory) {
  Json steps = Json::array();
  for (const StepMemory& step : memory.steps) {
    steps.push_back({{"peak_allocated_bytes", step.peak_allocated_bytes},
                     {"peak_reserved_bytes", step.peak_reserved_bytes},
                     {"end_allocated_bytes", step.end_allocated_bytes}});
  }
  Json peaks = Json::array();
  for (const Peak& peak : memory.peaks) peaks.push_back(to_json(peak));
  const Peak* at = highest(memory);
  Json made = {
      {"parameters", {{"count", memory.parameter_count}, {"bytes", memory.parameters_bytes}}},
      {"gradients_bytes", memory.gradients_bytes},
      {"optimizer_state_bytes", memory.optimizer_state_bytes},
      {"activations_bytes", memory.activations_bytes},
      {"activations", to_json(memory.activations)},
      {"workspaces_bytes", memory.workspaces_bytes},
      {"workspaces", to_json(memory.workspaces)},
      {"peak_allocated_bytes", memory.peak_allocated_bytes},
      {"peak_reserved_bytes", memory.peak_reserved_bytes},
      {"context_bytes", memory.context_bytes},
      {"peak_at",
       at == nullptr ? Json() : Json{{"step", at->step}, {"phase", at->phase}, {"op", at->op}}},
      {"steps", std::move(steps)},
      {"peaks", std::move(peaks)},
      {"fits", memory.fits},
      {"headroom_bytes", memory.headroom_bytes}};
  if (memory.out_of_memory) {
    const OutOfMemoryAt& full = *memory.out_of_memory;
    made["out_of_memory"] = {{"step", full.step},
                             {"phase", full.phase},
                             {"op", full.op},
                             {"allocation", full.what},
                             {"message", full.message}};
  }
  return made;
}

Json to_json(const TimeEstimate& time) {
  Json made = {{"forward", to_json(time.forward)},
               {"backward", to_json(time.backward)},
               {"optimizer", to_json(time.optimizer)},
               {"step", to_json(time.step)},
               {"flops", time.flops},
               {"bytes", time.bytes},
               {"bound_by", time.bound_by},
               {"mfu", time.mfu},
               {"confidence", time.confidence}};
  if (time.steps_per_epoch) made["steps_per_epoch"] = *time.steps_per_epoch;
  if (time.optimizer_steps) made["optimizer_steps"] = *time.optimizer_steps;
  if (time.run) {
    made["run_seconds"] = {{"low_s", time.run->low_s},
                           {"expected_s", time.run->expected_s},
                           {"high_s", time.run->high_s}};
  }
  return made;
}

Json to_json(const Estimate& estimate) {
  return {{"tool", "forerun estimate"},
          {"version", kVersion},
          {"context",
           {{"spec", estimate.spec_path},
            {"gpu", estimate.gpu},
            {"framework", estimate.framework},
            {"allocator", estimate.allocator.empty() ? "native backend, default options"
                                                     : "native backend, " + estimate.allocator}}},
          {"estimate",
           {{"memory", to_json(estimate.memory)},
            {"time", to_json(estimate.time)},
            {"unmodelled", estimate.unmodelled}}}};
}

}  // namespace

std::string to_json(const std::vector<Estimate>& estimates) {
  Json all = Json::array();
  for (const Estimate& estimate : estimates) all.push_back(to_json(estimate));
  // A path may hold bytes that are no UTF-8; they are replaced, not thrown on.
  const Json& shown = all.size() == 1 ? all[0] : all;
  return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forerun
