// --device auto|cuda|emulated|cpu, and what each becomes on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "estimator/devices/device.h"
#include "verifier/run/run.h"

namespace forerun::cli {

struct DeviceRequest {
  std::string program;          // for notes on stderr
  std::string wanted = "auto";  // as typed
  devices::Device gpu;          // what to emulate
  std::optional<std::int64_t> memory;
  std::vector<std::string> argv;  // to start again with
};

inline constexpr const char* kDeviceWords = "auto, cuda, emulated or cpu";

// Errors: a word that is none of the four.
Status check_device_word(const std::string& wanted);

// auto: a CUDA device if there is one, else the emulated one, else the CPU; which of the latter two
// is said on stderr. May not return: choosing the emulated device starts the program again on it.
// Errors: cuda without a CUDA device, emulated without an emulator.
Result<run::DeviceKind> choose_device(const DeviceRequest& request);

}  // namespace forerun::cli
