#include "estimator/pipeline/what_if.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/nearest.h"
#include "core/text.h"
#include "estimator/cost/roofline.h"
#include "estimator/pipeline/stages.h"
#include "estimator/pipeline/trace.h"

namespace forerun::pipeline {
namespace {

std::vector<const Spec*> chain_of(const Spec& spec) {
  std::vector<const Spec*> chain;
  for (const Spec* before = spec.after.get(); before != nullptr; before = before->after.get())
    chain.insert(chain.begin(), before);
  return chain;
}

// A size that is too much for 64 bits or for a model of PyTorch ends the search, as memory does.
struct Probe {
  bool fits = false;
  std::optional<Outcome> outcome;
  std::optional<Error> problem;
};

class BatchSearch {
 public:
  BatchSearch(const Spec& spec, const devices::Device& device) : spec_(spec), device_(device) {}

  Result<MaxBatch> run() {
    const Probe given = probe(spec_.batch_size);
    if (given.problem) return *given.problem;
    if (given.fits)
      grow();
    else
      above_ = spec_.batch_size;
    while (above_ - below_ > 1) probe(below_ + (above_ - below_) / 2);
    best_.batch_size = below_;
    if (why_) best_.limit = why_->message;
    return best_;
  }

 private:
  static constexpr std::int64_t kMost = 1ll << 40;

  void grow() {
    std::int64_t batch = spec_.batch_size;
    while (batch < kMost && probe(batch *= 2).fits) {
    }
    if (above_ == 0) above_ = batch + 1;
  }

  Probe probe(std::int64_t batch) {
    Spec tried = spec_;
    tried.batch_size = batch;
    Probe made;
    const auto result = outcome(tried, device_);
    if (result) {
      made.outcome = *result;
      made.fits = result->fits;
    } else {
      made.problem = result.error();
    }
    if (made.fits) {
      below_ = batch;
      best_.at = made.outcome;
    } else {
      above_ = batch;
      why_ = made.problem;
    }
    return made;
  }

  const Spec& spec_;
  const devices::Device& device_;
  std::int64_t below_ = 0, above_ = 0;  // fits, does not
  std::optional<Error> why_;            // above_ does not, when it is not for memory
  MaxBatch best_;
};

std::optional<std::int64_t> to_positive(std::string_view text) {
  const auto value = to_number<std::int64_t>(text);
  return value && *value >= 1 ? value : std::nullopt;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

const std::vector<std::string> kSweepKeys = {"batch_size", "gradient_accumulation_steps",
                                             "precision"};
const std::vector<std::string> kPrecisions = {"fp32", "bf16", "bf16-mixed", "fp16-mixed"};

Error bad_value(const std::string& key, const std::string& value) {
  if (key == "precision")
    return error(fmt::format("--sweep: precision '{}'", value), suggest(value, kPrecisions));
  return error(fmt::format("--sweep: {} '{}'", key, value),
               fmt::format("positive integers: {0}=1..64 or {0}=16,32,64", key));
}

// A range of integers, or nothing when the text is none.
Result<std::vector<std::string>> expand(const std::string& key, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return split(text, ',');
  const auto from = to_positive(text.substr(0, dots));
  const auto to = to_positive(text.substr(dots + 2));
  if (!from || !to || *from > *to) return bad_value(key, text);
  if (*to - *from >= kMostRows)
    return error(fmt::format("--sweep: {} values of {}", *to - *from + 1, key),
                 fmt::format("at most {}", kMostRows));
  std::vector<std::string> values;
  for (std::int64_t value = *from; value <= *to; ++value) values.push_back(std::to_string(value));
  return values;
}

Status set(Spec& spec, const std::string& key, const std::string& value) {
  if (key == "precision") {
    const auto found = std::find(kPrecisions.begin(), kPrecisions.end(), value);
    if (found == kPrecisions.end()) return bad_value(key, value);
    spec.precision = static_cast<Precision>(found - kPrecisions.begin());
    return Done{};
  }
  const auto number = to_positive(value);
  if (!number) return bad_value(key, value);
  (key == "batch_size" ? spec.batch_size : spec.gradient_accumulation_steps) = *number;
  return Done{};
}

// --- what each knob would make of a spec ---

struct Change {
  std::string name, setting, cost;
  Spec spec;
};

std::int64_t layers_of(const std::vector<LayerSpec>& model, bool blocks_only) {
  std::int64_t count = 0;
  for (const LayerSpec& layer : model) {
    if (layer.kind == "repeat") {
      const auto times = positive(layer, "times");
      count += (times ? *times : 0) * layers_of(layer.layers, blocks_only);
    } else if (!blocks_only || layer.kind == "transformer_block") {
      ++count;
    }
  }
  return count;
}

void add_checkpointing(const Spec& spec, std::vector<Change>& changes) {
  if (spec.checkpoint || spec.framework.frontend != Framework::Frontend::PyTorch) return;
  Change change{"checkpointing", "", "about one more forward a step", spec};
  if (layers_of(spec.model, true) > 0) {
    change.setting = "checkpoint: every_block";
    change.spec.checkpoint = "every_block";
  } else {
    const std::int64_t layers = layers_of(spec.model, false);
    const auto segments = static_cast<std::int64_t>(std::sqrt(static_cast<double>(layers)));
    if (segments < 2) return;
    change.setting = fmt::format("checkpoint: {{segments: {}}}", segments);
    change.spec.checkpoint = "segments";
    change.spec.checkpoint_segments = segments;
  }
  changes.push_back(std::move(change));
}

void add_precision(const Spec& spec, std::vector<Change>& changes) {
  if (spec.precision == Precision::Bf16) return;
  if (spec.precision == Precision::Fp32) {
    changes.push_back({"bf16-mixed", "precision: bf16-mixed",
                       "products in bfloat16; parameters and optimizer state stay fp32", spec});
    changes.back().spec.precision = Precision::Bf16Mixed;
  }
  changes.push_back({"bf16", "precision: bf16",
                     "everything in bfloat16, optimizer state too: may not converge", spec});
  changes.back().spec.precision = Precision::Bf16;
}

void add_optimizers(const Spec& spec, std::vector<Change>& changes) {
  using Kind = OptimizerKind;
  if (spec.framework.frontend != Framework::Frontend::PyTorch) return;
  const Kind kind = spec.optimizer.name;
  const bool has_fused = kind == Kind::Sgd || kind == Kind::Adam || kind == Kind::AdamW;
  const auto implementation = spec.optimizer.implementation;
  if (has_fused && implementation != OptimizerImplementation::Fused) {
    changes.push_back({"fused optimizer", "optimizer: {implementation: fused}",
                       "none: the same update in fewer kernels", spec});
    changes.back().spec.optimizer.implementation = OptimizerImplementation::Fused;
  }
  if (implementation == OptimizerImplementation::Foreach) {
    changes.push_back({"for-loop optimizer", "optimizer: {implementation: for-loop}",
                       "many small kernels: a slower optimizer step", spec});
    changes.back().spec.optimizer.implementation = OptimizerImplementation::ForLoop;
  }
}

void add_allocator(const Spec& spec, std::vector<Change>& changes) {
  if (spec.allocator.expandable_segments) return;
  changes.push_back(
      {"expandable segments", "allocator: {expandable_segments: true}",
       "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; first steps a little slower", spec});
  changes.back().spec.allocator.expandable_segments = true;
}

void add_accumulation(const Spec& spec, std::vector<Change>& changes) {
  for (const std::int64_t parts : {2, 4}) {
    if (spec.batch_size % parts != 0) continue;
    Change change{"gradient accumulation", "",
                  "the same samples a step in smaller batches, each less busy on the GPU", spec};
    change.spec.batch_size = spec.batch_size / parts;
    change.spec.gradient_accumulation_steps = spec.gradient_accumulation_steps * parts;
    change.setting = fmt::format("batch_size: {}, gradient_accumulation_steps: {}",
                                 change.spec.batch_size, change.spec.gradient_accumulation_steps);
    changes.push_back(std::move(change));
  }
}

}  // namespace

Result<Outcome> outcome(const Spec& spec, const devices::Device& device) {
  const auto stages = build_stages(chain_of(spec), spec, device);
  if (!stages) return stages.error();
  auto trace = replay(stages->recording, &device, spec.allocator);
  Outcome made;
  made.fits = trace.has_value();
  if (!trace) trace = replay(stages->recording, nullptr, spec.allocator);
  for (const StepTrace& step : trace->steps) {
    made.peak_allocated_bytes =
        std::max(made.peak_allocated_bytes, step.memory.peak_allocated_bytes);
    made.peak_reserved_bytes = std::max(made.peak_reserved_bytes, step.memory.peak_reserved_bytes);
  }
  made.headroom_bytes = device.usable_bytes() - made.peak_reserved_bytes;
  made.step_s = cost::estimate(stages->recording.kernels, spec, device).step.expected_s;
  return made;
}

Result<MaxBatch> max_batch(const Spec& spec, const devices::Device& device) {
  return BatchSearch(spec, device).run();
}

Result<Sweep> parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    return error(fmt::format("--sweep '{}' has no '='", text), "--sweep batch_size=1..64");
  Sweep made;
  made.key = text.substr(0, equals);
  if (std::find(kSweepKeys.begin(), kSweepKeys.end(), made.key) == kSweepKeys.end())
    return error(fmt::format("--sweep: '{}' cannot be swept", made.key),
                 suggest(made.key, kSweepKeys));
  auto values = expand(made.key, text.substr(equals + 1));
  if (!values) return values.error();
  made.values = std::move(*values);
  if (static_cast<std::int64_t>(made.values.size()) > kMostRows)
    return error(fmt::format("--sweep: {} values of {}", made.values.size(), made.key),
                 fmt::format("at most {}", kMostRows));
  Spec scratch;
  for (const std::string& value : made.values) {
    if (const Status fine = set(scratch, made.key, value); !fine) return fine.error();
  }
  return made;
}

Result<std::vector<SweepRow>> sweep(const Spec& spec, const Sweep& values,
                                    const devices::Device& device) {
  std::vector<SweepRow> rows;
  bool any = false;
  for (const std::string& value : values.values) {
    Spec tried = spec;
    if (const Status fine = set(tried, values.key, value); !fine) return fine.error();
    const auto result = outcome(tried, device);
    any = any || result;
    SweepRow row{value, std::nullopt, std::nullopt};
    if (result)
      row.outcome = *result;
    else
      row.problem = result.error();
    rows.push_back(std::move(row));
  }
  if (!any) return *rows.front().problem;
  return rows;
}

Result<std::vector<Knob>> knobs(const Spec& spec, const devices::Device& device) {
  const auto now = outcome(spec, device);
  if (!now) return now.error();
  std::vector<Change> changes;
  add_checkpointing(spec, changes);
  add_precision(spec, changes);
  add_optimizers(spec, changes);
  add_allocator(spec, changes);
  add_accumulation(spec, changes);
  std::vector<Knob> made;
  for (const Change& change : changes) {
    const auto then = outcome(change.spec, device);
    if (!then) continue;  // not for this model: no knob
    made.push_back({change.name, change.setting, change.cost, *then,
                    now->peak_reserved_bytes - then->peak_reserved_bytes,
                    now->peak_allocated_bytes - then->peak_allocated_bytes});
  }
  std::stable_sort(made.begin(), made.end(), [](const Knob& a, const Knob& b) {
    return a.saves_reserved_bytes > b.saves_reserved_bytes;
  });
  return made;
}

}  // namespace forerun::pipeline
