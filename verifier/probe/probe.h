// Is the GPU usable, and how fast is one small training step on it: an MLP 512-256-10 with AdamW, 5
// warm-up and 50 timed steps, once in fp32 and once in mixed precision. The batch is made once, on
// the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "verifier/run/run.h"

namespace forerun::probe {

enum class State { CudaReady, CpuOnly, CudaNotAvailable, CudaOom };
std::string_view name(
    State state);  // "CUDA_READY" | "CPU_ONLY" | "CUDA_NOT_AVAILABLE" | "CUDA_OOM"

struct Options {
  run::DeviceKind device = run::DeviceKind::Cpu;
  std::int64_t batch = 256;
};

struct Reading {
  State state = State::CpuOnly;
  std::string device;     // the GPU's name, or "cpu"; "" when there is none
  std::string precision;  // "fp32" | "amp"; "" when nothing ran
  std::string amp_dtype;  // of amp: "bfloat16", or "float16" with a gradient scaler before compute
                          // capability 8.0
  std::int64_t batch = 0;
  bool emulated = false;                             // kernels do nothing: the times mean nothing
  std::optional<double> seconds_per_step;            // unset when nothing was timed
  std::optional<std::int64_t> peak_allocated_bytes;  // of the timed steps; unset on the CPU
  std::optional<std::int64_t> peak_reserved_bytes;
  std::string advice;  // what to do about a state that is not a success
};

// One reading a precision. Ends at the first out of memory of the device. Errors: what LibTorch
// refuses.
Result<std::vector<Reading>> probe(const Options& options);

// CUDA was asked for and is not there.
Reading not_available();

// {"state": ..., "device": ..., "milliseconds_per_step": ..., ...} on one line, without a final
// newline; what is unknown is null.
std::string json_line(const Reading& reading);

}  // namespace forerun::probe
