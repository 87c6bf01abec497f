// How a program is put on the emulated CUDA device: the variables its process must start with.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "estimator/devices/device.h"

namespace forerun::dryrun {

// What the emulator reads; verifier/emulator/device/profile.c is the other side of these.
inline constexpr const char* kProfileVariable = "FORERUN_EMULATOR_PROFILE";
inline constexpr const char* kReportVariable = "FORERUN_EMULATOR_REPORT";
inline constexpr const char* kEventsVariable = "FORERUN_EMULATOR_EVENTS";
// Where a user says the emulator's libraries are; read by tools, not by this library.
inline constexpr const char* kFolderVariable = "FORERUN_EMULATOR";

struct EmulatedMachine {
  devices::Device device;
  int device_count = 1;
};

// The machine as the emulator reads it: one key=value a line. total_memory_bytes and context_bytes
// are the device's own.
std::string profile_text(const EmulatedMachine& machine);

// The folder that holds the emulator's libraries: `named` when it is not empty, else
// ../lib/forerun/emulator beside the folder of the running executable. Errors: no libcudart in it,
// with the folder that was looked at.
Result<std::string> find_emulator(const std::string& executable_folder, const std::string& named);

// The folder's shared objects, sorted, whole paths. They are preloaded because PyTorch's libraries
// carry an RPATH that the loader asks before LD_LIBRARY_PATH. Errors: unreadable, or a path with a
// space or colon, which LD_PRELOAD cannot name.
Result<std::vector<std::string>> emulator_libraries(const std::string& folder);

// `base` ("NAME=value" entries, as in environ) with LD_PRELOAD, LD_LIBRARY_PATH and the profile
// set; what base already preloads or searches comes behind the emulator. Paths of an outer run's
// report and log are taken out: a run reports to its own. Errors: those of emulator_libraries.
Result<std::vector<std::string>> environment(const EmulatedMachine& machine,
                                             const std::string& folder,
                                             const std::vector<std::string>& base);

}  // namespace forerun::dryrun
