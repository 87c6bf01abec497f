// Questions about a spec that other specs answer: the largest batch, a row for each of several
// values, and what each known way to save memory would save. Every figure is a whole simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/spec.h"
#include "estimator/devices/device.h"

namespace forerun::pipeline {

struct Outcome {
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t headroom_bytes = 0;
  bool fits = true;
  double step_s = 0;  // expected
};

// Errors: as estimate()'s.
Result<Outcome> outcome(const Spec& spec, const devices::Device& device);

// The largest batch_size at which the spec fits and batch_size + 1 does not. `limit`, when it is
// there, says why no more was tried: not memory, but a size that is not modelled.
struct MaxBatch {
  std::int64_t batch_size = 0;  // 0: not even one sample fits
  std::optional<Outcome> at;    // of batch_size
  std::optional<std::string> limit;
};
Result<MaxBatch> max_batch(const Spec& spec, const devices::Device& device);

// "batch_size=1..64", "batch_size=16,32,64", "precision=fp32,bf16-mixed",
// "gradient_accumulation_steps=1,2,4". Errors: an unknown key, an impossible or empty list, more
// than kMostRows values.
inline constexpr std::int64_t kMostRows = 1000;
struct Sweep {
  std::string key;
  std::vector<std::string> values;
};
Result<Sweep> parse_sweep(const std::string& text);

struct SweepRow {
  std::string value;
  std::optional<Outcome> outcome;
  std::optional<Error> problem;  // in place of an outcome
};
Result<std::vector<SweepRow>> sweep(const Spec& spec, const Sweep& values,
                                    const devices::Device& device);

// Ways to need less memory that the spec does not use yet, the one that saves most first; `saves`
// is of peak_reserved_bytes, negative when it needs more.
struct Knob {
  std::string name;     // "checkpointing"
  std::string setting;  // "checkpoint: {segments: 4}"
  std::string cost;     // in words: what it changes or asks for
  Outcome outcome;
  std::int64_t saves_reserved_bytes = 0;
  std::int64_t saves_allocated_bytes = 0;
};
Result<std::vector<Knob>> knobs(const Spec& spec, const devices::Device& device);

}  // namespace forerun::pipeline
