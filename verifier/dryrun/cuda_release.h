// Which CUDA release a program's PyTorch is built for: the emulator's libraries stand in for
// NVIDIA's by soname, so that each release needs its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace forerun::dryrun {

struct CudaRelease {
  int major = 0;
  std::string library;  // that needs it
};

// What `command` will load, as far as it can be told before it runs: of a Python program, by asking
// its interpreter where torch is (which imports nothing); of any other, by asking the loader what
// it is linked with. nullopt when neither says.
std::optional<CudaRelease> wanted_cuda(const std::vector<std::string>& command,
                                       const std::vector<std::string>& environment);

// The emulator for that release: `folder` or the cu12, cu13 below it. `folder` when it is not
// known. Errors: it is not built, with what to do.
Result<std::string> emulator_of(const std::string& folder,
                                const std::optional<CudaRelease>& wanted);

}  // namespace forerun::dryrun
