#include "cli/doctor.h"

#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "cli/build_facts.h"
#include "cli/options/options.h"
#include "cli/tools.h"
#include "core/version.h"

namespace forerun::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

// One line of the answer: `ready` or what is missing, then where it was found or what turns it on.
struct Row {
  std::string what;
  bool ready = false;
  std::string detail;
};

// A tool that is installed but cannot start lacks a library at load time; only running it tells.
Row tool_row(const std::string& word, const std::string& program, const std::string& why_not) {
  if (!is_installed(program)) {
    return {word, false, why_not.empty() ? program + " is not beside forerun; build it" : why_not};
  }
  const Answer answer = ask(program, {"--help"});
  if (answer.exit_code == 0) return {word, true, beside(program)};
  return {word, false,
          fmt::format("{} ends with status {} when asked for help; run it to see why",
                      beside(program), answer.exit_code)};
}

Row clang_row(const BuildFacts& facts) {
  if (facts.clang_library.empty() || !fs::exists(facts.clang_library)) {
    return {"Clang", false,
            fmt::format("apt-get install libclang-{0}-dev llvm-{0}-dev, then configure again",
                        facts.llvm_version)};
  }
  return {"Clang", true, fmt::format("{} ({})", facts.llvm_version, facts.clang_library)};
}

Row torch_row(const BuildFacts& facts) {
  if (facts.torch_folder.empty()) {
    return {
        "LibTorch", false,
        "scripts/setup installs it from PyPI, or FORERUN_TORCH names one; then configure again"};
  }
  if (!fs::exists(facts.torch_folder + "/lib/libtorch_cpu.so")) {
    return {"LibTorch", false,
            fmt::format("was at {}, and is not any more: scripts/setup, then configure again",
                        facts.torch_folder)};
  }
  return {"LibTorch", true,
          fmt::format("{} {} CUDA ({})", facts.torch_version,
                      facts.torch_has_cuda ? "with" : "without", facts.torch_folder)};
}

// Asks the driver itself: libcuda.so.1 comes with NVIDIA's kernel driver and with nothing else.
Row cuda_row() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const std::string instead = "verify runs on the emulated device or the CPU";
  if (driver == nullptr) return {"CUDA", false, "no NVIDIA driver (libcuda.so.1): " + instead};
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto init = reinterpret_cast<Init>(::dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<Count>(::dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  const bool works = init != nullptr && count != nullptr && init(0) == 0 && count(&devices) == 0;
  ::dlclose(driver);
  if (!works || devices == 0)
    return {"CUDA", false, "the NVIDIA driver sees no device: " + instead};
  return {"CUDA", true, fmt::format("{} device{}", devices, devices == 1 ? "" : "s")};
}

Row emulator_row(const BuildFacts& facts) {
  const fs::path folder = fs::path(beside("")).parent_path().parent_path() / "lib/forerun/emulator";
  int libraries = 0;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, missing)) {
    if (entry.path().filename().string().find(".so") != std::string::npos) ++libraries;
  }
  if (libraries > 0)
    return {"emulator", true, fmt::format("{} libraries in {}", libraries, folder.string())};
  if (!facts.torch_has_cuda)
    return {"emulator", false, "needs a LibTorch with CUDA; scripts/setup installs one"};
  return {
      "emulator", false,
      fmt::format("no libraries in {}: build everything, cmake --build build", folder.string())};
}

std::string why_not(const BuildFacts& facts, const std::string& program) {
  for (const BuildFacts::Tool& tool : facts.tools) {
    if (tool.program == program) return tool.why_not;
  }
  return {};
}

std::vector<Row> examine() {
  const BuildFacts& facts = build_facts();
  std::vector<Row> rows;
  for (const Command& command : commands()) {
    if (command.leading.empty())
      rows.push_back(tool_row(command.word, command.program, why_not(facts, command.program)));
  }
  rows.push_back(clang_row(facts));
  rows.push_back(torch_row(facts));
  rows.push_back(emulator_row(facts));
  rows.push_back(cuda_row());
  return rows;
}

}  // namespace

int doctor(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add_options()("help", "this");
  const Usage usage{"forerun doctor", "says what was found here, and what each missing part needs",
                    "[--help]", "0"};
  const auto parsed = parse(arguments, options, "");
  if (!parsed) return complain(usage.program, parsed.error());
  if (parsed->values.count("help") != 0)
    return emit(usage.program, help_text(usage, options), "", kExitClean);
  std::string text = fmt::format("forerun {}\n", kVersion);
  for (const Row& row : examine()) {
    text += fmt::format("  {:<10}{:<9}{}\n", row.what, row.ready ? "ready" : "missing", row.detail);
  }
  return emit(usage.program, text, "", kExitClean);
}

}  // namespace forerun::cli
