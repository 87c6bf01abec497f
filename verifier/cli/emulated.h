// Starting this very program again on the emulated device: its libraries must be there before
// LibTorch's are loaded, so a running process cannot switch to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "estimator/devices/device.h"

namespace forerun::cli {

// Called first thing in main: when this process was started by relaunch_emulated, gives LD_PRELOAD
// and LD_LIBRARY_PATH the values the user's process had, so that nothing started from here inherits
// the emulator.
void settle_environment();

// True in a process that relaunch_emulated started.
bool was_relaunched();
// True when some emulated machine is in force, this program's or that of `forerun dry-run`.
bool on_emulated_machine();

// Whether the emulator's libraries can be found: beside this binary (../lib/forerun/emulator), or
// where FORERUN_EMULATOR says.
Result<std::string> emulator_folder();

// Replaces this process by itself, with the same arguments, on an emulated `device`; returns only
// an error. `memory` is what PyTorch may use of it, if not the device's own. Refuses in a process
// that was already relaunched.
Error relaunch_emulated(const std::vector<std::string>& argv, devices::Device device,
                        std::optional<std::int64_t> memory);

}  // namespace forerun::cli
