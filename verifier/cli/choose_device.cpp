#include "verifier/cli/choose_device.h"

#include <cstdio>

#include <fmt/format.h>

#include "core/nearest.h"
#include "verifier/cli/emulated.h"

namespace forerun::cli {
namespace {

void say(const DeviceRequest& request, const std::string& note) {
  std::fprintf(stderr, "%s: note: %s\n", request.program.c_str(), note.c_str());
}

Result<run::DeviceKind> emulated(const DeviceRequest& request) {
  if (was_relaunched() && run::cuda_is_available()) return run::DeviceKind::Emulated;
  return relaunch_emulated(request.argv, request.gpu, request.memory);
}

Result<run::DeviceKind> cuda(const DeviceRequest& request) {
  if (!run::cuda_is_available()) {
    return error("--device cuda: CUDA is not available here", "--device emulated or --device cpu");
  }
  if (!on_emulated_machine()) return run::DeviceKind::Cuda;
  say(request, "the CUDA device of this process is emulated");
  return run::DeviceKind::Emulated;
}

Result<run::DeviceKind> automatic(const DeviceRequest& request) {
  if (was_relaunched()) return emulated(request);
  if (run::cuda_is_available() && !on_emulated_machine()) return run::DeviceKind::Cuda;
  if (const auto folder = emulator_folder()) {
    say(request, fmt::format("no CUDA device here: running on an emulated {}", request.gpu.name));
    return emulated(request);
  } else {
    say(request, fmt::format("no CUDA device and no emulated one ({}): running on the CPU",
                             folder.error().message));
    return run::DeviceKind::Cpu;
  }
}

}  // namespace

Status check_device_word(const std::string& wanted) {
  for (const char* word : {"auto", "cuda", "emulated", "cpu"}) {
    if (wanted == word) return Done{};
  }
  return error(fmt::format("unknown device '{}'", wanted),
               suggest(wanted, {"auto", "cuda", "emulated", "cpu"}));
}

Result<run::DeviceKind> choose_device(const DeviceRequest& request) {
  if (const Status known = check_device_word(request.wanted); !known) return known.error();
  if (request.wanted == "cpu") return run::DeviceKind::Cpu;
  if (request.wanted == "cuda") return cuda(request);
  if (request.wanted == "emulated") return emulated(request);
  return automatic(request);
}

}  // namespace forerun::cli
