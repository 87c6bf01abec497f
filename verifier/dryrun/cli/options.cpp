#include "verifier/dryrun/cli/options.h"

#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "core/units.h"
#include "estimator/devices/device.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;

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

std::string text_of(const po::variables_map& values, const char* name) {
  return values.count(name) == 0 ? std::string() : values[name].as<std::string>();
}

// A program may run for long; what is wrong with the file should be said before.
Status writable(const char* option, const std::string& path) {
  if (path.empty()) return Done{};
  const std::filesystem::path whole(path);
  std::error_code failure;
  if (std::filesystem::is_directory(whole, failure))
    return error(fmt::format("--{} names a folder, '{}'", option, path), "the name of a file");
  const std::string folder = whole.has_parent_path() ? whole.parent_path().string() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return Done{};
  return error(
      fmt::format("--{} cannot be written to '{}': {}", option, path, std::strerror(errno)));
}

}  // namespace

po::options_description dry_run_options() {
  po::options_description list;
  const auto text = [] { return po::value<std::string>(); };
  list.add_options()("help", "print this text");
  list.add_options()("gpu", text()->default_value("h100-sxm-80gb")->value_name("NAME"),
                     "the GPU to emulate, or a profile of your own ending in .json");
  list.add_options()("memory", text()->value_name("SIZE"),
                     "device memory the program may allocate, such as 24GiB (default: the GPU's "
                     "own, less the context)");
  list.add_options()("gpus", po::value<int>()->default_value(1)->value_name("N"),
                     "how many of them, 1 to 16");
  list.add_options()("stop-after-steps", po::value<std::int64_t>()->value_name("N"),
                     "end each process, with status 0, when it has ended N steps of its optimizer");
  list.add_options()("explain", "report everything: the timeline, every place, kernels, shapes");
  list.add_options()("verbose", "the same as --explain");
  list.add_options()("format", text()->default_value("text")->value_name("text|json"),
                     "what the report is written as");
  list.add_options()("output", text()->value_name("FILE"),
                     "write the report to FILE (default: to standard error; standard output is "
                     "the program's)");
  list.add_options()("trace", text()->value_name("FILE"),
                     "write a trace for Perfetto or chrome://tracing to FILE");
  list.add_options()("no-events", "keep no log of events: report totals alone");
  return list;
}

Result<DryRunOptions> read_options(const Parsed& parsed) {
  const po::variables_map& values = parsed.values;
  if (parsed.rest.empty() || parsed.rest.front().empty()) {
    return error("no program to run", "forerun dry-run --gpu h100-sxm-80gb -- python train.py");
  }
  DryRunOptions options;
  const Result<dryrun::EmulatedMachine> machine = machine_of(values);
  if (!machine) return machine.error();
  options.machine = *machine;
  options.command = parsed.rest;
  options.events = values.count("no-events") == 0;
  options.is_long = values.count("explain") + values.count("verbose") > 0;
  const std::string format = values["format"].as<std::string>();
  if (format != "text" && format != "json")
    return error(fmt::format("--format is '{}'", format), "text or json");
  options.json = format == "json";
  options.output = text_of(values, "output");
  options.trace = text_of(values, "trace");
  if (values.count("stop-after-steps") != 0) {
    options.stop_after_steps = values["stop-after-steps"].as<std::int64_t>();
    if (options.stop_after_steps < 1)
      return error(fmt::format("--stop-after-steps is {}", options.stop_after_steps), "1 or more");
  }
  if (!options.events && (!options.trace.empty() || options.stop_after_steps > 0)) {
    return error(fmt::format("--{} needs the log that --no-events switches off",
                             options.trace.empty() ? "stop-after-steps" : "trace"));
  }
  for (const auto& [name, path] :
       {std::pair("output", options.output), std::pair("trace", options.trace)}) {
    const Status status = writable(name, path);
    if (!status) return status.error();
  }
  return options;
}

}  // namespace forerun::cli
