#include <nlohmann/json.hpp>

#include "core/version.h"
#include "verifier/dryrun/run_report.h"

namespace forerun::dryrun {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Place& place) {
  if (place.file.empty()) return nullptr;
  Json made = {{"file", place.file}};
  if (place.line > 0) made["line"] = place.line;
  if (!place.function.empty()) made["function"] = place.function;
  if (!place.below.empty()) made["calls"] = place.below;
  if (!place.called_from.empty()) made["called_from"] = place.called_from;
  return made;
}

Json to_json(const CategoryBytes& bytes) {
  Json made = Json::object();
  for (std::size_t i = 0; i < kCategories; ++i)
    made[std::string(to_string(static_cast<Category>(i))) + "_bytes"] = bytes[i];
  return made;
}

Json to_json(const Moment& moment) {
  return {{"step", moment.step}, {"phase", to_string(moment.phase)}};
}

Json to_json(const DeviceMemory& memory) {
  Json peak = to_json(memory.peak_at);
  peak["allocated_bytes"] = memory.peak_bytes();
  peak["categories"] = to_json(memory.at_peak);
  Json largest = Json::array(), places = Json::array(), timeline = Json::array();
  for (const PeakBlock& block : memory.largest) {
    largest.push_back({{"bytes", block.bytes},
                       {"category", to_string(block.category)},
                       {"place", to_json(block.place)}});
  }
  for (const PlaceShare& share : memory.by_place) {
    places.push_back({{"bytes", share.bytes},
                      {"blocks", share.blocks},
                      {"category", to_string(share.category)},
                      {"place", to_json(share.place)}});
  }
  peak["largest_blocks"] = std::move(largest);
  peak["places"] = std::move(places);
  for (const TimelineMoment& at : memory.timeline) {
    Json point = to_json(at.moment);
    point["allocated_bytes"] = sum(at.bytes);
    point["categories"] = to_json(at.bytes);
    timeline.push_back(std::move(point));
  }
  return {{"device", memory.device}, {"peak", std::move(peak)}, {"timeline", std::move(timeline)}};
}

Json to_json(const EmuStep& step) {
  return {{"launches", step.launches},
          {"gemms", step.gemms},
          {"gemm_flops", step.gemm_flops},
          {"blocking_calls", step.blocking_calls},
          {"computed_reads", step.computed_reads},
          {"copies_to_device", step.copies_to_device},
          {"to_device_bytes", step.bytes_to_device},
          {"to_device_pageable_bytes", step.pageable_bytes_to_device},
          {"copies_to_host", step.copies_to_host},
          {"to_host_bytes", step.bytes_to_host},
          {"collectives", step.collectives},
          {"collective_bytes", step.collective_bytes},
          {"allocations", step.allocations},
          {"peak_allocated_bytes", step.allocated_peak_bytes},
          {"end_allocated_bytes", step.allocated_end_bytes},
          {"end_reserved_bytes", step.reserved_end_bytes}};
}

Json steps_json(const ProcessAnalysis& analysis) {
  Json first = Json::array();
  for (const EmuStep& step : analysis.first_steps) {
    Json made = {{"step", step.number}};
    made.update(to_json(step));
    first.push_back(std::move(made));
  }
  Json later = nullptr;
  if (analysis.later) {
    later = {{"from_step", analysis.later_from}, {"to_step", analysis.steps_ended}};
    later.update(to_json(*analysis.later));
  }
  return {{"ended", analysis.steps_ended},
          {"first", std::move(first)},
          {"later_median", std::move(later)},
          {"after_the_last", to_json(analysis.running)}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const std::vector<Happening>& list, bool bytes, bool flops) {
  Json made = Json::array();
  for (const Happening& happening : list) {
    Json entry = Json::object();
    if (!happening.what.empty()) entry["what"] = happening.what;
    entry["count"] = happening.count;
    entry["count_per_step"] = or_null(happening.count_per_step);
    if (bytes) entry["bytes"] = happening.bytes;
    if (bytes) entry["bytes_per_step"] = or_null(happening.bytes_per_step);
    if (flops) entry["flops"] = happening.flops;
    if (flops) entry["flops_per_step"] = or_null(happening.flops_per_step);
    if (!happening.place.file.empty()) entry["place"] = to_json(happening.place);
    made.push_back(std::move(entry));
  }
  return made;
}

Json to_json(const Growth& growth) {
  Json places = Json::array();
  for (const GrowingPlace& place : growth.places) {
    places.push_back({{"bytes_per_step", place.bytes_per_step},
                      {"from_step", place.from_step + 1},
                      {"to_step", place.to_step},
                      {"bytes", place.bytes},
                      {"blocks", place.blocks},
                      {"place", to_json(place.place)}});
  }
  return {{"steps", growth.steps},
          {"grows", growth.can_tell ? Json(growth.grows) : Json(nullptr)},
          {"from_step", growth.grows ? Json(growth.from_step + 1) : Json(nullptr)},
          {"to_step", growth.grows ? Json(growth.to_step) : Json(nullptr)},
          {"bytes_per_step", growth.can_tell ? Json(growth.bytes_per_step) : Json(nullptr)},
          {"places", std::move(places)}};
}

Json to_json(const std::optional<Failure>& failure) {
  if (!failure) return nullptr;
  Json made = to_json(failure->at);
  made["device"] = failure->device;
  made["driver_request_bytes"] = failure->bytes;
  made["free_bytes"] = failure->free_bytes;
  if (failure->tensor_bytes > 0) made["tensor_bytes"] = failure->tensor_bytes;
  made["out_of_memory_error"] = failure->raised;
  made["place"] = to_json(failure->place);
  return made;
}

Json process_json(const ProcessAnalysis& analysis) {
  Json devices = Json::array();
  for (const DeviceMemory& memory : analysis.devices) devices.push_back(to_json(memory));
  Json lost = nullptr;
  if (analysis.lost_events > 0) {
    lost = {{"events", analysis.lost_events},
            {"from_step", analysis.lost_from_step},
            {"to_step", analysis.lost_to_step}};
  }
  return {{"devices", std::move(devices)},
          {"steps", steps_json(analysis)},
          {"waits", to_json(analysis.waits, false, false)},
          {"computed_reads", to_json(analysis.computed_reads, true, false)},
          {"copies", to_json(analysis.copies, true, false)},
          {"collectives", to_json(analysis.collectives, true, false)},
          {"kernels", to_json(analysis.kernels, false, false)},
          {"gemms", to_json(analysis.gemms, false, true)},
          {"growth", to_json(analysis.growth)},
          {"failed_allocation", to_json(analysis.failure)},
          {"lost", std::move(lost)},
          {"unreadable_entries", analysis.nonsense}};
}

Json to_json(const std::vector<NamedCount>& names) {
  Json made = Json::array();
  for (const NamedCount& entry : names)
    made.push_back({{"name", entry.name}, {"count", entry.count}});
  return made;
}

Json devices_json(const RunReport& report) {
  Json made = Json::array();
  for (const DeviceUse& use : report.counts.devices) {
    made.push_back({{"device", use.device},
                    {"peak_allocated_bytes", use.allocated_peak_bytes},
                    {"peak_reserved_bytes", use.reserved_peak_bytes},
                    {"peak_driver_bytes", use.driver_peak_bytes},
                    {"context_bytes", report.context_bytes},
                    {"peak_total_bytes", use.driver_peak_bytes + report.context_bytes},
                    {"usable_bytes", report.usable_bytes},
                    {"headroom_bytes", report.usable_bytes - use.driver_peak_bytes},
                    {"failed_requests", use.failed_requests},
                    {"first_failed_bytes", use.first_failed_bytes}});
  }
  return made;
}

Json counts_json(const Report& counts) {
  return {{"processes", counts.processes},
          {"launches", counts.launches},
          {"blocking_calls", counts.synchronisations},
          {"to_device_bytes", counts.bytes_to_device},
          {"to_host_bytes", counts.bytes_to_host},
          {"unbacked_copies", counts.unbacked_copies},
          {"unmodelled", to_json(counts.unmodelled)},
          {"unknown_sizes", to_json(counts.unknown_sizes)}};
}

// A path may be any bytes; JSON text is UTF-8.
std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// Threads of two ranks may take turns differently, which moves events, not figures.
std::string figures(const ProcessAnalysis& analysis) {
  Json json = process_json(analysis);
  for (Json& device : json["devices"]) {
    device.erase("device");
    device.erase("timeline");
  }
  if (json["failed_allocation"].is_object()) json["failed_allocation"].erase("device");
  return dumped(json, -1);
}

std::string to_json(const RunReport& report) {
  Json processes = Json::array();
  for (const ProcessGroup& group : report.processes) {
    Json made = {{"ranks", group.ranks}};
    if (group.ranks.size() > 1) made["note"] = "the devices and the timeline are of the first rank";
    made.update(process_json(group.analysis));
    processes.push_back(std::move(made));
  }
  const Json json = {{"tool", "forerun dry-run"},
                     {"version", kVersion},
                     {"context",
                      {{"command", report.command},
                       {"gpu", report.gpu},
                       {"gpus", report.gpus},
                       {"usable_bytes", report.usable_bytes},
                       {"context_bytes", report.context_bytes}}},
                     {"dry_run",
                      {{"status", report.status},
                       {"fits", !report.does_not_fit},
                       {"devices", devices_json(report)},
                       {"counts", counts_json(report.counts)},
                       {"events", report.has_events},
                       {"processes", std::move(processes)},
                       {"lost_processes", report.lost_processes}}}};
  return dumped(json, 2) + "\n";
}

}  // namespace forerun::dryrun
