#include "estimator/cli/answers.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/units.h"
#include "core/version.h"
#include "estimator/pipeline/what_if.h"

namespace forerun::cli {
namespace {

using Json = nlohmann::ordered_json;
using pipeline::Outcome;

Json describe(const Spec& spec, const devices::Device& device) {
  return {
      {"tool", "forerun estimate"},
      {"version", kVersion},
      {"context",
       {{"spec", spec.path},
        {"gpu", device.name},
        {"framework", name(spec.framework)},
        {"allocator", text(spec.allocator).empty() ? "native backend, default options"
                                                   : "native backend, " + text(spec.allocator)}}}};
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const Outcome& outcome) {
  return {{"peak_allocated_bytes", outcome.peak_allocated_bytes},
          {"peak_reserved_bytes", outcome.peak_reserved_bytes},
          {"headroom_bytes", outcome.headroom_bytes},
          {"fits", outcome.fits},
          {"step_expected_s", outcome.step_s}};
}

std::string title(const Spec& spec, const devices::Device& device) {
  return fmt::format("{} on {}, {}\n", spec.path, device.name, name(spec.framework));
}

std::string signed_bytes(std::int64_t bytes) {
  return bytes < 0 ? "-" + format_bytes(-bytes) : format_bytes(bytes);
}

std::string samples(const Spec& spec, std::int64_t batch) {
  const std::int64_t micro = spec.gradient_accumulation_steps;
  return micro == 1 ? ""
                    : fmt::format(", {} samples a step in {} micro-batches",
                                  with_thousands(batch * micro), micro);
}

std::string text_of(const Spec& spec, const devices::Device& device,
                    const pipeline::MaxBatch& found) {
  std::string text = title(spec, device);
  auto out = std::back_inserter(text);
  if (!found.at) {
    fmt::format_to(out, "no batch fits: not even one sample, in {} of {}\n",
                   format_bytes(device.usable_bytes()), format_bytes(device.total_memory_bytes));
  } else {
    fmt::format_to(out, "largest batch_size that fits: {}{}\n", with_thousands(found.batch_size),
                   samples(spec, found.batch_size));
    fmt::format_to(out, "  {:<16}{:>22}{:>13}\n", "peak allocated",
                   with_thousands(found.at->peak_allocated_bytes),
                   format_bytes(found.at->peak_allocated_bytes));
    fmt::format_to(out, "  {:<16}{:>22}{:>13}  {} to spare\n", "peak reserved",
                   with_thousands(found.at->peak_reserved_bytes),
                   format_bytes(found.at->peak_reserved_bytes),
                   signed_bytes(found.at->headroom_bytes));
    fmt::format_to(out, "  {:<16}{:>22}  expected\n", "step", format_seconds(found.at->step_s));
  }
  if (found.limit)
    fmt::format_to(out, "no larger one was tried: {}\n", *found.limit);
  else
    fmt::format_to(out, "{} does not fit\n", with_thousands(found.batch_size + 1));
  return text;
}

std::string table_of(const std::string& key, const std::vector<pipeline::SweepRow>& rows) {
  std::string text = fmt::format("{:>12}{:>22}{:>22}{:>14}{:>13}\n", key, "peak allocated",
                                 "peak reserved", "to spare", "step");
  for (const pipeline::SweepRow& row : rows) {
    if (!row.outcome) {
      text += fmt::format("{:>12}  {}\n", row.value, row.problem->message);
      continue;
    }
    const Outcome& outcome = *row.outcome;
    text += fmt::format("{:>12}{:>22}{:>22}{:>14}{:>13}{}\n", row.value,
                        with_thousands(outcome.peak_allocated_bytes),
                        with_thousands(outcome.peak_reserved_bytes),
                        signed_bytes(outcome.headroom_bytes), format_seconds(outcome.step_s),
                        outcome.fits ? "" : "  does not fit");
  }
  return text;
}

}  // namespace

Result<Answer> answer_max_batch(const Spec& spec, const devices::Device& device,
                                const std::string& format) {
  const auto found = pipeline::max_batch(spec, device);
  if (!found) return found.error();
  if (format != "json") return Answer{text_of(spec, device, *found), found->batch_size > 0};
  Json json = describe(spec, device);
  json["max_batch"] = {{"batch_size", found->batch_size}};
  if (found->at) json["max_batch"].update(to_json(*found->at));
  if (found->limit) json["max_batch"]["limit"] = *found->limit;
  return Answer{dump(json), found->batch_size > 0};
}

Result<Answer> answer_sweep(const Spec& spec, const devices::Device& device,
                            const std::string& values, const std::string& format) {
  const auto what = pipeline::parse_sweep(values);
  if (!what) return what.error();
  const auto rows = pipeline::sweep(spec, *what, device);
  if (!rows) return rows.error();
  Answer answer{"", false};
  for (const pipeline::SweepRow& row : *rows)
    answer.fits = answer.fits || (row.outcome && row.outcome->fits);
  if (format != "json") {
    answer.text = title(spec, device) + table_of(what->key, *rows);
    return answer;
  }
  Json json = describe(spec, device);
  Json list = Json::array();
  for (const pipeline::SweepRow& row : *rows) {
    Json one = {{what->key, row.value}};
    if (what->key != "precision") one[what->key] = std::stoll(row.value);
    if (row.outcome)
      one.update(to_json(*row.outcome));
    else
      one["problem"] = row.problem->message;
    list.push_back(std::move(one));
  }
  json["sweep"] = {{"key", what->key}, {"rows", std::move(list)}};
  answer.text = dump(json);
  return answer;
}

Result<Answer> answer_what_if(const Spec& spec, const devices::Device& device,
                              const std::string& format) {
  const auto now = pipeline::outcome(spec, device);
  if (!now) return now.error();
  const auto ways = pipeline::knobs(spec, device);
  if (!ways) return ways.error();
  Answer answer{"", now->fits};
  for (const pipeline::Knob& way : *ways) answer.fits = answer.fits || way.outcome.fits;
  if (format == "json") {
    Json json = describe(spec, device);
    Json list = Json::array();
    for (const pipeline::Knob& way : *ways) {
      Json one = {{"name", way.name},
                  {"setting", way.setting},
                  {"cost", way.cost},
                  {"saves_reserved_bytes", way.saves_reserved_bytes},
                  {"saves_allocated_bytes", way.saves_allocated_bytes}};
      one.update(to_json(way.outcome));
      list.push_back(std::move(one));
    }
    json["what_if"] = {{"now", to_json(*now)}, {"knobs", std::move(list)}};
    answer.text = dump(json);
    return answer;
  }
  answer.text = title(spec, device);
  auto out = std::back_inserter(answer.text);
  fmt::format_to(out, "now: peak reserved {}, allocated {}, step {}{}\n\n",
                 format_bytes(now->peak_reserved_bytes), format_bytes(now->peak_allocated_bytes),
                 format_seconds(now->step_s), now->fits ? "" : ", does not fit");
  fmt::format_to(out, "{:>14}{:>16}{:>12}  {}\n", "saves reserved", "saves allocated", "step",
                 "way");
  for (const pipeline::Knob& way : *ways) {
    fmt::format_to(out, "{:>14}{:>16}{:>12}  {} ({}){}\n", signed_bytes(way.saves_reserved_bytes),
                   signed_bytes(way.saves_allocated_bytes), format_seconds(way.outcome.step_s),
                   way.name, way.setting, way.outcome.fits ? "" : ", does not fit");
    fmt::format_to(out, "{:>44}{}\n", "", way.cost);
  }
  return answer;
}

}  // namespace forerun::cli
