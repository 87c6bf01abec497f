#include "verifier/cli/emulated.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "verifier/dryrun/environment.h"

namespace forerun::cli {
namespace {

constexpr const char* kRelaunched = "FORERUN_VERIFY_RELAUNCHED";
// What a relaunched process puts back, and under which name its old value travels.
struct Saved {
  const char* variable;
  const char* travels_as;
};
constexpr std::array<Saved, 2> kSaved{{{"LD_PRELOAD", "FORERUN_VERIFY_LD_PRELOAD"},
                                       {"LD_LIBRARY_PATH", "FORERUN_VERIFY_LD_LIBRARY_PATH"}}};

bool relaunched = false;

std::string executable() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).string();
}

std::vector<std::string> current_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::vector<std::string> with_saved_values(std::vector<std::string> entries) {
  for (const Saved& saved : kSaved) {
    if (const char* value = std::getenv(saved.variable))
      entries.push_back(fmt::format("{}={}", saved.travels_as, value));
  }
  entries.push_back(std::string(kRelaunched) + "=1");
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

void settle_environment() {
  relaunched = std::getenv(kRelaunched) != nullptr;
  if (!relaunched) return;
  for (const Saved& saved : kSaved) {
    const char* value = std::getenv(saved.travels_as);
    if (value != nullptr) {
      setenv(saved.variable, value, 1);
    } else {
      unsetenv(saved.variable);
    }
    unsetenv(saved.travels_as);
  }
  unsetenv(kRelaunched);
}

bool was_relaunched() { return relaunched; }

bool on_emulated_machine() { return std::getenv(dryrun::kProfileVariable) != nullptr; }

Result<std::string> emulator_folder() {
  const char* named = std::getenv(dryrun::kFolderVariable);
  const std::string folder = std::filesystem::path(executable()).parent_path().string();
  return dryrun::find_emulator(folder, named == nullptr ? "" : named);
}

Error relaunch_emulated(const std::vector<std::string>& argv, devices::Device device,
                        std::optional<std::int64_t> memory) {
  if (relaunched) {
    return error("the emulated device did not come up: CUDA sees no device under it",
                 "the emulator built for this LibTorch's CUDA version");
  }
  const auto folder = emulator_folder();
  if (!folder) return folder.error();
  if (memory) device.total_memory_bytes = *memory + device.context_bytes;
  auto entries =
      dryrun::environment({device, 1}, *folder, with_saved_values(current_environment()));
  if (!entries) return entries.error();
  std::vector<std::string> arguments = argv;
  execve(executable().c_str(), pointers(arguments).data(), pointers(*entries).data());
  return error(fmt::format("cannot start again on the emulated device: {}", std::strerror(errno)));
}

}  // namespace forerun::cli
