#include "verifier/probe/probe.h"

#include <nlohmann/json.hpp>

#include "core/units.h"

namespace forerun::probe {
namespace {

constexpr int kWarmUpSteps = 5;
constexpr int kTimedSteps = 50;

LayerSpec linear(std::int64_t in, std::int64_t out) {
  LayerSpec layer;
  layer.kind = "linear";
  layer.arguments = {{"in", {in, {}}, {}}, {"out", {out, {}}, {}}};
  return layer;
}

Spec spec_of(const Options& options, Precision precision) {
  Spec spec;
  spec.path = "probe";
  LayerSpec relu;
  relu.kind = "relu";
  spec.model = {linear(512, 256), relu, linear(256, 10)};
  spec.input = {{512}, DType::Float32, {}};
  spec.target = {{}, DType::Int64, {}};
  spec.batch_size = options.batch;
  spec.precision = precision;
  spec.optimizer.weight_decay = 0.01;  // AdamW's default
  return spec;
}

// bfloat16 arithmetic came with compute capability 8.0; the CPU has it in software.
Precision mixed_on(const Options& options) {
  const bool has_bfloat16 =
      options.device == run::DeviceKind::Cpu || run::cuda_device().compute_major >= 8;
  return has_bfloat16 ? Precision::Bf16Mixed : Precision::Fp16Mixed;
}

Reading describe(const Options& options, Precision precision) {
  const bool on_cuda = options.device != run::DeviceKind::Cpu;
  Reading reading;
  reading.state = on_cuda ? State::CudaReady : State::CpuOnly;
  reading.device = on_cuda ? run::cuda_device().name : "cpu";
  reading.precision = precision == Precision::Fp32 ? "fp32" : "amp";
  if (precision == Precision::Bf16Mixed) reading.amp_dtype = "bfloat16";
  if (precision == Precision::Fp16Mixed) reading.amp_dtype = "float16";
  reading.batch = options.batch;
  reading.emulated = options.device == run::DeviceKind::Emulated;
  return reading;
}

void fill(const Options& options, const run::Timing& timing, Reading& reading) {
  if (timing.out_of_memory) {
    reading.state = State::CudaOom;
    reading.advice = "lower --batch";
    return;
  }
  reading.seconds_per_step = timing.seconds_per_step;
  if (options.device == run::DeviceKind::Cpu) return;
  reading.peak_allocated_bytes = timing.memory.peak_allocated_bytes;
  reading.peak_reserved_bytes = timing.memory.peak_reserved_bytes;
}

nlohmann::ordered_json mebibytes(const std::optional<std::int64_t>& bytes) {
  if (!bytes) return nullptr;
  return static_cast<double>(*bytes) / static_cast<double>(kMiB);
}

}  // namespace

std::string_view name(State state) {
  switch (state) {
    case State::CudaReady: return "CUDA_READY";
    case State::CpuOnly: return "CPU_ONLY";
    case State::CudaNotAvailable: return "CUDA_NOT_AVAILABLE";
    case State::CudaOom: return "CUDA_OOM";
  }
  return "";
}

Result<std::vector<Reading>> probe(const Options& options) {
  std::vector<Reading> readings;
  for (const Precision precision : {Precision::Fp32, mixed_on(options)}) {
    const auto timing =
        run::time_steps(spec_of(options, precision), {options.device}, kWarmUpSteps, kTimedSteps);
    if (!timing) return timing.error();
    readings.push_back(describe(options, precision));
    fill(options, *timing, readings.back());
    if (timing->out_of_memory) break;
  }
  return readings;
}

Reading not_available() {
  Reading reading;
  reading.state = State::CudaNotAvailable;
  reading.advice = "--device cpu, or --device emulated for memory without times";
  return reading;
}

std::string json_line(const Reading& reading) {
  nlohmann::ordered_json json;
  const auto text = [](const std::string& value) {
    return value.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  json["state"] = name(reading.state);
  json["device"] = text(reading.device);
  json["emulated"] = reading.emulated;
  json["precision"] = text(reading.precision);
  if (!reading.amp_dtype.empty()) json["amp_dtype"] = reading.amp_dtype;
  json["batch"] =
      reading.batch > 0 ? nlohmann::ordered_json(reading.batch) : nlohmann::ordered_json(nullptr);
  json["milliseconds_per_step"] = nullptr;
  json["samples_per_second"] = nullptr;
  if (reading.seconds_per_step) {
    json["milliseconds_per_step"] = *reading.seconds_per_step * 1e3;
    json["samples_per_second"] = static_cast<double>(reading.batch) / *reading.seconds_per_step;
  }
  json["peak_allocated_MiB"] = mebibytes(reading.peak_allocated_bytes);
  json["peak_reserved_MiB"] = mebibytes(reading.peak_reserved_bytes);
  json["includes_data_loading"] = false;
  if (reading.emulated)
    json["note"] = "emulated device: kernels do nothing, so its times mean nothing";
  if (!reading.advice.empty()) json["advice"] = reading.advice;
  return json.dump();
}

}  // namespace forerun::probe
