// forerun-dry-run [--gpu NAME] [--memory SIZE] [--gpus N] -- COMMAND...
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options/options.h"
#include "core/units.h"
#include "estimator/devices/device.h"
#include "verifier/dryrun/environment.h"
#include "verifier/dryrun/process.h"
#include "verifier/dryrun/report.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* kProgram = "forerun dry-run";
constexpr int kExitDoesNotFit = 3;

po::options_description options() {
  po::options_description list;
  list.add_options()("help", "print this text");
  list.add_options()("gpu",
                     po::value<std::string>()->default_value("h100-sxm-80gb")->value_name("NAME"),
                     "the GPU to emulate, or a profile of your own ending in .json");
  list.add_options()("memory", po::value<std::string>()->value_name("SIZE"),
                     "device memory the program may allocate, such as 24GiB (default: the GPU's "
                     "own, less the context)");
  list.add_options()("gpus", po::value<int>()->default_value(1)->value_name("N"),
                     "how many of them, 1 to 16");
  return list;
}

const Usage& usage() {
  static const Usage text{
      kProgram, "executes your program on an emulated GPU and reports the device memory it took",
      "[options] -- COMMAND [ARGUMENT...]",
      "the program's own; 128 + N when signal N ended it; 3 when it failed after running out of "
      "device memory; 2 when it could not be run"};
  return text;
}

Result<dryrun::EmulatedMachine> machine_of(const po::variables_map& values) {
  const Result<devices::Device> device = devices::find(values["gpu"].as<std::string>());
  if (!device) return device.error();
  dryrun::EmulatedMachine machine{*device, values["gpus"].as<int>()};
  if (machine.device_count < 1 || machine.device_count > 16) {
    return error(fmt::format("--gpus is {}", machine.device_count), "1 to 16");
  }
  if (values.count("memory") == 0) return machine;
  const std::string text = values["memory"].as<std::string>();
  const std::optional<std::int64_t> memory = parse_bytes(text);
  const auto total = memory ? checked_add(*memory, machine.device.context_bytes) : std::nullopt;
  if (!total || *memory < 2 * kMiB) {
    return error(fmt::format("--memory is '{}'", text), "a size of at least 2 MiB, such as 24GiB");
  }
  machine.device.total_memory_bytes = *total;
  return machine;
}

std::vector<std::string> current_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

Result<std::string> emulator_folder() {
  const char* named = std::getenv(dryrun::kFolderVariable);
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return dryrun::find_emulator(self.parent_path().string(), named == nullptr ? "" : named);
}

void say(const std::string& line) { std::fprintf(stderr, "%s: %s\n", kProgram, line.c_str()); }

std::string described(const dryrun::EmulatedMachine& machine) {
  const std::string count =
      machine.device_count == 1 ? "an" : fmt::format("{}", machine.device_count);
  return fmt::format("{} emulated {} ({} usable{})", count, machine.device.name,
                     format_bytes(machine.device.usable_bytes()),
                     machine.device_count == 1 ? "" : " each");
}

int execute(const dryrun::EmulatedMachine& machine, const std::vector<std::string>& command) {
  const Result<std::string> folder = emulator_folder();
  if (!folder) return complain(kProgram, folder.error());
  const Result<dryrun::SharedReport> shared = dryrun::SharedReport::create();
  if (!shared) return complain(kProgram, shared.error());
  Result<std::vector<std::string>> environment =
      dryrun::environment(machine, *folder, current_environment());
  if (!environment) return complain(kProgram, environment.error());
  environment->push_back(std::string(dryrun::kReportVariable) + "=" + shared->path());

  say(
      fmt::format("executing your program, {}, on {}; what it does to files and networks is real, "
                  "what it computes on "
                  "the device is not",
                  command.front(), described(machine)));
  const Result<int> status = dryrun::run_program(command, *environment);
  if (!status) return complain(kProgram, status.error());

  const dryrun::Report report = shared->read();
  const bool does_not_fit = *status != 0 && dryrun::ran_out_of_memory(report);
  say(fmt::format("{} ended with status {}{}", command.front(), *status,
                  does_not_fit ? "; it ran out of device memory" : ""));
  std::fputs(dryrun::report_text(report, machine.device.usable_bytes()).c_str(), stderr);
  return does_not_fit ? kExitDoesNotFit : *status;
}

int run(const std::vector<std::string>& arguments) {
  const po::options_description known = options();
  const Result<Parsed> parsed = parse(arguments, known, "");
  if (!parsed) return complain(kProgram, parsed.error());
  if (parsed->values.count("help") != 0)
    return emit(kProgram, help_text(usage(), known), "", kExitClean);
  if (parsed->rest.empty() || parsed->rest.front().empty()) {
    return complain(kProgram, error("no program to run",
                                    "forerun dry-run --gpu h100-sxm-80gb -- python train.py"));
  }
  const Result<dryrun::EmulatedMachine> machine = machine_of(parsed->values);
  if (!machine) return complain(kProgram, machine.error());
  return execute(*machine, parsed->rest);
}

}  // namespace
}  // namespace forerun::cli

int main(int argc, char** argv) {
  return forerun::cli::guarded_main(argc, argv, forerun::cli::kProgram, &forerun::cli::run);
}
