// Builds a spec in LibTorch, runs its first training steps, and says what the caching allocator
// did. This header includes no LibTorch header, so that its users compile in a second.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report.h"
#include "core/result.h"
#include "core/spec.h"

namespace forerun::run {

// Emulated is a CUDA device to LibTorch; only the caller knows that no GPU stands behind it.
enum class DeviceKind { Cuda, Emulated, Cpu };
std::string_view name(DeviceKind device);  // "cuda" | "emulated" | "cpu"

struct Options {
  DeviceKind device = DeviceKind::Cpu;
};

inline constexpr int kMeasuredSteps = 3;

// Runs the specs one after another in this process, each as the one before left the allocator: a
// spec's `after:` chain first (one step each), then three measured steps; then model, optimizer and
// loss are deleted, the batch too unless the next spec uses an identical one, and the cache is
// emptied.
//
// One step is what lab programs in Python do:
//   [with autocast:] loss = criterion(model(x), y); [loss = loss / k];
//   [scaler.scale](loss).backward()   k times [scaler.unscale_; clip_grad_norm_]; optimizer.step();
//   [scaler.update()]; optimizer.zero_grad(); del loss
// Peak bytes are those between the start of a step and its end, end_allocated_bytes those alive
// after it.
//
// On the CPU there is no caching allocator: the steps run, parameters are counted, `steps` stays
// empty and a note says so. Errors: a layer without a torch.h, a framework of another version than
// the LibTorch linked here, out of memory, and whatever LibTorch refuses (with its own words).
Result<std::vector<Measurement>> measure(const std::vector<Spec>& specs, const Options& options);

// The time of one spec's step, for the probe: `warm_up` steps, then `timed` steps between two
// readings of the clock, each taken after the device has finished everything it was given.
struct Timing {
  bool out_of_memory = false;  // of the device; nothing else is set then
  double seconds_per_step = 0;
  StepMemory memory;  // of the timed steps; zeros on the CPU
};
Result<Timing> time_steps(const Spec& spec, const Options& options, int warm_up, int timed);

bool cuda_is_available();  // asks the CUDA runtime; false in a build without CUDA
struct CudaDevice {
  std::string name;
  int compute_major = 0, compute_minor = 0, multiprocessors = 0;
};
CudaDevice cuda_device();      // device 0; an empty name without one
std::string linked_version();  // "2.11.0"

}  // namespace forerun::run
