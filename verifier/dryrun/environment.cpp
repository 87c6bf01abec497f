#include "verifier/dryrun/environment.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace forerun::dryrun {
namespace {

namespace fs = std::filesystem;

bool is_library(const std::string& name) {
  return name.starts_with("lib") &&
         (name.ends_with(".so") || name.find(".so.") != std::string::npos);
}

// Takes NAME's entry out of the environment and returns its value, "" when there is none.
std::string take(std::vector<std::string>& environment, std::string_view name) {
  std::string value;
  std::erase_if(environment, [&](const std::string& entry) {
    const bool same =
        entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
    if (same) value = entry.substr(name.size() + 1);
    return same;
  });
  return value;
}

// A file's name may be anything; in the profile it has one line and, in the emulator, 63 bytes.
std::string one_line(std::string name) {
  if (name.size() > 63) name.resize(63);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 0x20; }, '_');
  return name;
}

std::string in_front(const std::string& ours, const std::string& theirs) {
  return theirs.empty() ? ours : ours + ":" + theirs;
}

}  // namespace

std::string profile_text(const EmulatedMachine& machine) {
  const devices::Device& device = machine.device;
  std::string text;
  const auto line = [&text](const char* key, const auto& value) {
    text += fmt::format("{}={}\n", key, value);
  };
  line("name", one_line(device.name));
  line("vendor_name", device.vendor_name);
  line("devices", machine.device_count);
  line("compute_major", device.compute_major);
  line("compute_minor", device.compute_minor);
  line("multiprocessors", device.multiprocessors);
  line("max_threads_per_multiprocessor", device.max_threads_per_multiprocessor);
  line("max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor);
  line("shared_memory_per_multiprocessor_bytes", device.shared_memory_per_multiprocessor_bytes);
  line("shared_memory_per_block_optin_bytes", device.shared_memory_per_block_optin_bytes);
  line("l2_cache_bytes", device.l2_cache_bytes);
  line("memory_bandwidth_bytes_per_s", device.memory_bandwidth_bytes_per_s);
  line("total_memory_bytes", device.total_memory_bytes);
  line("context_bytes", device.context_bytes);
  return text;
}

Result<std::string> find_emulator(const std::string& executable_folder, const std::string& named) {
  const fs::path folder =
      named.empty()
          ? (fs::path(executable_folder) / ".." / "lib" / "forerun" / "emulator").lexically_normal()
          : fs::path(named);
  const Result<std::vector<std::string>> libraries = emulator_libraries(folder.string());
  if (!libraries) return libraries.error();
  std::error_code failure;
  return fs::absolute(folder, failure).lexically_normal().string();
}

Result<std::vector<std::string>> emulator_libraries(const std::string& folder) {
  const std::string accepted = fmt::format(
      "the folder the build makes (lib/forerun/emulator, only where PyTorch's CUDA build is "
      "found), or {} naming it",
      kFolderVariable);
  std::error_code failure;
  const fs::path whole = fs::absolute(folder, failure).lexically_normal();
  if (whole.string().find_first_of(" :;\n") != std::string::npos) {
    return error(
        fmt::format("the emulator cannot be preloaded from '{}': LD_PRELOAD separates its entries "
                    "by spaces and colons",
                    folder));
  }
  std::vector<std::string> libraries;
  for (fs::directory_iterator entry(whole, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (is_library(entry->path().filename().string())) libraries.push_back(entry->path().string());
  }
  if (failure)
    return error(fmt::format("no emulator in '{}': {}", folder, failure.message()), accepted);
  const bool has_runtime =
      std::any_of(libraries.begin(), libraries.end(), [](const std::string& path) {
        return fs::path(path).filename().string().starts_with("libcudart.so.");
      });
  if (!has_runtime)
    return error(fmt::format("no emulator in '{}': libcudart.so is not there", folder), accepted);
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

Result<std::vector<std::string>> environment(const EmulatedMachine& machine,
                                             const std::string& folder,
                                             const std::vector<std::string>& base) {
  const Result<std::vector<std::string>> libraries = emulator_libraries(folder);
  if (!libraries) return libraries.error();
  std::string preload;
  for (const std::string& library : *libraries)
    preload = preload.empty() ? library : preload + ":" + library;
  std::error_code failure;
  const std::string whole = fs::absolute(folder, failure).lexically_normal().string();

  std::vector<std::string> result = base;
  const std::string preloaded = take(result, "LD_PRELOAD");
  const std::string searched = take(result, "LD_LIBRARY_PATH");
  take(result, kProfileVariable);
  take(result, kReportVariable);
  take(result, kEventsVariable);
  result.push_back("LD_PRELOAD=" + in_front(preload, preloaded));
  result.push_back("LD_LIBRARY_PATH=" + in_front(whole, searched));
  result.push_back(std::string(kProfileVariable) + "=" + profile_text(machine));
  return result;
}

}  // namespace forerun::dryrun
