#include "verifier/run/run.h"

#include <chrono>
#include <iterator>

#include <ATen/Context.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "verifier/run/allocator_stats.h"
#include "verifier/run/training.h"

namespace forerun::run {
namespace {

// One spec's turn in the process.
struct Turn {
  const Spec* spec;
  bool measured;  // three steps with figures; otherwise one step, for what it leaves behind
};

void append_turns(const Spec& spec, bool measured, std::vector<Turn>& turns) {
  if (spec.after) append_turns(*spec.after, false, turns);
  turns.push_back({&spec, measured});
}

Status check_framework(const Spec& spec) {
  if (spec.framework.major == TORCH_VERSION_MAJOR && spec.framework.minor == TORCH_VERSION_MINOR)
    return Done{};
  return error_at(spec.framework.at,
                  fmt::format("framework {} cannot be measured: this build links LibTorch {}, and "
                              "versions allocate differently",
                              name(spec.framework), linked_version()),
                  fmt::format("framework: pytorch-{0}.{1} or libtorch-{0}.{1}", TORCH_VERSION_MAJOR,
                              TORCH_VERSION_MINOR));
}

// Python's optimizers are replayed here operator by operator; those that are not, and switches that
// change their operators, are left to Python on the emulated device.
Status check_optimizer(const Spec& spec) {
  const OptimizerSpec& optimizer = spec.optimizer;
  const bool python = spec.framework.frontend == Framework::Frontend::PyTorch;
  using Kind = OptimizerKind;
  const bool plain =
      optimizer.name == Kind::Sgd || optimizer.name == Kind::Adam || optimizer.name == Kind::AdamW;
  const bool in_torch = plain || optimizer.name == Kind::Adagrad || optimizer.name == Kind::RmsProp;
  if (python ? !plain : !in_torch) {
    return error_at(optimizer.at,
                    fmt::format("{} cannot be run by the verifier under {}", name(optimizer.name),
                                name(spec.framework)),
                    python ? "sgd, adam, adamw" : "sgd, adam, adamw, adagrad, rmsprop");
  }
  if (optimizer.maximize || (python && (optimizer.nesterov || optimizer.amsgrad))) {
    return error_at(optimizer.at, fmt::format("{} cannot be run by the verifier under {}",
                                              optimizer.maximize  ? "maximize"
                                              : optimizer.amsgrad ? "amsgrad"
                                                                  : "nesterov",
                                              name(spec.framework)));
  }
  return Done{};
}

Status check(const Spec& spec) {
  if (const Status fine = check_optimizer(spec); !fine) return fine;
  if (spec.checkpoint) {
    return error_at({spec.path, {}, {}}, "checkpoint cannot be run by the verifier yet",
                    "checkpoint: null");
  }
  return check_framework(spec);
}

// The first line of what LibTorch said: the rest is a C++ backtrace.
std::string first_line(const char* what) {
  const std::string text = what;
  return text.substr(0, text.find('\n'));
}

at::Device device_of(const Options& options) {
  return options.device == DeviceKind::Cpu ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
}

class Process {
 public:
  explicit Process(const Options& options) : options_(options), device_(device_of(options)) {}

  Result<std::vector<Measurement>> run(const std::vector<Turn>& turns) {
    std::vector<Measurement> measurements;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      auto measured = take(turns[i]);
      if (!measured) return measured.error();
      if (turns[i].measured) measurements.push_back(*std::move(measured));
      const bool keeps_batch =
          i + 1 < turns.size() && same_batch(*turns[i].spec, *turns[i + 1].spec);
      if (!keeps_batch) batch_.reset();
      if (on_cuda()) empty_cache();
    }
    return measurements;
  }

 private:
  bool on_cuda() const { return device_.is_cuda(); }

  void ensure_batch(const Spec& spec) {
    if (!batch_) batch_ = Batch::make(spec, device_);
  }

  Result<Measurement> take(const Turn& turn) {
    const Spec& spec = *turn.spec;
    if (spec.setup == Setup::DataFirst) ensure_batch(spec);
    auto training = Training::start(spec, device_);
    if (!training) return training.error();
    ensure_batch(spec);
    Measurement measurement = describe(spec, training->network());
    for (int i = 0; i < (turn.measured ? kMeasuredSteps : 1); ++i) {
      const StepMemory memory = step(*training);
      if (on_cuda()) measurement.steps.push_back(memory);
    }
    return measurement;
  }

  StepMemory step(Training& training) {
    if (!on_cuda()) {
      training.step(*batch_);
      return {};
    }
    synchronize();
    reset_peak_memory();
    training.step(*batch_);
    synchronize();
    return memory_now();
  }

  Measurement describe(const Spec& spec, const Network& network) const {
    Measurement measurement;
    measurement.spec_path = spec.path;
    measurement.device = name(options_.device);
    measurement.device_name = on_cuda() ? cuda_device().name : "cpu";
    measurement.framework = name(spec.framework);
    measurement.parameter_count = network.parameter_count();
    measurement.parameters_bytes = network.parameters_bytes();
    if (!on_cuda())
      measurement.notes.emplace_back("cpu: no caching allocator; parameters compared, peaks not");
    return measurement;
  }

  Options options_;
  at::Device device_;
  std::optional<Batch> batch_;
};

Error as_error(const Options& options, const c10::OutOfMemoryError& problem) {
  return error(fmt::format("out of memory on the {} device: {}", name(options.device),
                           first_line(problem.what_without_backtrace())),
               "a smaller batch_size, or a GPU with more memory");
}

// Runs `work`, turning what LibTorch throws into an Error.
template <class T, class Work>
Result<T> as_result(const Options& options, const Work& work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError& problem) {
    return as_error(options, problem);
  } catch (const c10::Error& problem) {
    return error(fmt::format("LibTorch refused: {}", first_line(problem.what_without_backtrace())));
  } catch (const std::bad_alloc&) {
    return error("out of memory on the host");
  }
}

Result<Timing> timing_of(const Spec& spec, const Options& options, int warm_up, int timed) {
  using Clock = std::chrono::steady_clock;
  const at::Device device = device_of(options);
  auto training = Training::start(spec, device);
  if (!training) return training.error();
  const Batch batch = Batch::make(spec, device);
  const auto settle = [&] {
    if (device.is_cuda()) synchronize();
  };
  for (int i = 0; i < warm_up; ++i) training->step(batch);
  settle();
  if (device.is_cuda()) reset_peak_memory();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < timed; ++i) training->step(batch);
  settle();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  return Timing{false, elapsed.count() / timed, device.is_cuda() ? memory_now() : StepMemory{}};
}

}  // namespace

std::string_view name(DeviceKind device) {
  switch (device) {
    case DeviceKind::Cuda: return "cuda";
    case DeviceKind::Emulated: return "emulated";
    case DeviceKind::Cpu: return "cpu";
  }
  return "";
}

std::string linked_version() { return TORCH_VERSION; }

Result<std::vector<Measurement>> measure(const std::vector<Spec>& specs, const Options& options) {
  std::vector<Turn> turns;
  for (const Spec& spec : specs) append_turns(spec, true, turns);
  for (const Turn& turn : turns) {
    if (const Status ok = check(*turn.spec); !ok) return ok.error();
  }
  return as_result<std::vector<Measurement>>(options, [&] { return Process(options).run(turns); });
}

Result<Timing> time_steps(const Spec& spec, const Options& options, int warm_up, int timed) {
  return as_result<Timing>(options, [&]() -> Result<Timing> {
    try {
      return timing_of(spec, options, warm_up, timed);
    } catch (const c10::OutOfMemoryError&) {
      return Timing{true, 0, {}};
    }
  });
}

}  // namespace forerun::run
