#include "verifier/probe/probe.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/options/options.h"
#include "core/units.h"
#include "estimator/devices/device.h"
#include "verifier/cli/choose_device.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/emulated.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;
constexpr const char* kProgram = "forerun probe";

struct ProbeArguments {
  std::string device = "auto", gpu = "h100-sxm-80gb", memory, output;
  std::int64_t batch = 256;
};

po::options_description describe(ProbeArguments& into) {
  po::options_description options;
  options.add_options()            //
      ("help", "print this text")  //
      ("device", po::value(&into.device)->value_name("NAME"),
       "auto (CUDA if present, else the CPU), cuda, emulated, cpu")                              //
      ("batch", po::value(&into.batch)->value_name("N"), "samples a step (256)")                 //
      ("gpu", po::value(&into.gpu)->value_name("NAME"), "which GPU to emulate (h100-sxm-80gb)")  //
      ("memory", po::value(&into.memory)->value_name("BYTES"),
       "memory of the emulated GPU: 64MiB, 24GiB")  //
      ("output", po::value(&into.output)->value_name("FILE"),
       "write there instead of to standard output");
  return options;
}

std::string help(const po::options_description& options) {
  return help_text(
      {kProgram, "time one small training step on the GPU, in fp32 and in mixed precision",
       "[options]", "0 CUDA_READY or CPU_ONLY, 1 CUDA_NOT_AVAILABLE or CUDA_OOM, 2 could not run"},
      options);
}

int report(const std::vector<probe::Reading>& readings, const std::string& output) {
  std::string lines;
  bool ready = true;
  for (const probe::Reading& reading : readings) {
    lines += probe::json_line(reading) + "\n";
    if (reading.advice.empty()) continue;
    ready = false;
    std::fprintf(stderr, "%s: %s: %s\n", kProgram, std::string(name(reading.state)).c_str(),
                 reading.advice.c_str());
  }
  return emit(kProgram, lines, output, ready ? kExitClean : kExitFound);
}

// Unlike verify, the probe times: without a GPU its auto is the CPU, never the emulated device.
Result<run::DeviceKind> device_of(const ProbeArguments& given, const devices::Device& gpu,
                                  std::optional<std::int64_t> memory) {
  const bool automatic = given.device == "auto";
  const std::string wanted = automatic ? (run::cuda_is_available() ? "cuda" : "cpu") : given.device;
  return choose_device({kProgram, wanted, gpu, memory, command_line()});
}

int run_probe(const ProbeArguments& given) {
  if (const Status known = check_device_word(given.device); !known)
    return complain(kProgram, known.error());
  if (given.batch < 1)
    return complain(kProgram,
                    error(fmt::format("--batch is {}", given.batch), "a positive integer"));
  const auto gpu = devices::find(given.gpu);
  if (!gpu) return complain(kProgram, gpu.error());
  const auto memory = given.memory.empty() ? std::nullopt : parse_bytes(given.memory);
  if (!given.memory.empty() && (!memory || *memory < 1)) {
    return complain(kProgram, error(fmt::format("--memory is '{}'", given.memory),
                                    "a size such as 64MiB or 24GiB"));
  }
  if (given.device == "cuda" && !run::cuda_is_available())
    return report({probe::not_available()}, given.output);
  const auto device = device_of(given, *gpu, memory);
  if (!device) return complain(kProgram, device.error());
  const auto readings = probe::probe({*device, given.batch});
  if (!readings) return complain(kProgram, readings.error());
  return report(*readings, given.output);
}

}  // namespace

int probe(const std::vector<std::string>& arguments) {
  ProbeArguments given;
  const po::options_description options = describe(given);
  const auto parsed = parse(arguments, options, "");
  if (!parsed) return complain(kProgram, parsed.error());
  if (parsed->values.count("help") > 0) return emit(kProgram, help(options), "", kExitClean);
  return run_probe(given);
}

}  // namespace forerun::cli
