#include <cstdio>

#include <fmt/format.h>

#include "cli/options/options.h"
#include "core/nearest.h"
#include "core/units.h"
#include "core/version.h"
#include "estimator/pipeline/estimate.h"
#include "verifier/cli/choose_device.h"
#include "verifier/cli/commands.h"
#include "verifier/compare/compare.h"
#include "verifier/run/run.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;
constexpr const char* kProgram = "forerun verify";

struct VerifyArguments {
  std::vector<std::string> specs;
  std::string device = "auto", gpu, memory, format = "text", output, check;
  double tolerance = compare::kStepMemory;
};

po::options_description describe(VerifyArguments& into) {
  po::options_description options;
  options.add_options()                                         //
      ("help", "print this text")                               //
      ("version", "print the version and the LibTorch linked")  //
      ("device", po::value(&into.device)->value_name("NAME"),
       "auto (CUDA if present, else emulated, else cpu), cuda, emulated, cpu")  //
      ("gpu", po::value(&into.gpu)->value_name("NAME"),
       "predict and emulate this GPU instead of the spec's")  //
      ("memory", po::value(&into.memory)->value_name("BYTES"),
       "memory of the emulated GPU, if not its own")  //
      ("tolerance", po::value(&into.tolerance)->value_name("FRACTION"),
       "accepted error of a step's bytes, relative to the measured ones (0)")  //
      ("check", po::value(&into.check)->value_name("NAME"),
       "run a health check instead of specs; 'list' names them")               //
      ("format", po::value(&into.format)->value_name("NAME"), "text or json")  //
      ("output", po::value(&into.output)->value_name("FILE"),
       "write there instead of to standard output")  //
      ("spec", po::value(&into.specs), "");
  return options;
}

std::string help(const po::options_description& options) {
  return help_text(
      {kProgram,
       "run a spec's first training steps in LibTorch and compare its memory with the prediction",
       "SPEC... [options]", "0 within tolerance, 1 outside, 2 could not run"},
      options);
}

Status check_words(const VerifyArguments& given) {
  if (given.format != "text" && given.format != "json") {
    return error(fmt::format("unknown format '{}'", given.format),
                 suggest(given.format, {"text", "json"}));
  }
  if (!(given.tolerance >= 0))
    return error(fmt::format("--tolerance is {}", given.tolerance),
                 "0 or more, such as 0.01 for 1 %");
  return check_device_word(given.device);
}

Result<std::vector<Spec>> read_specs(const VerifyArguments& given) {
  if (given.specs.empty()) return error("no spec given", "forerun verify SPEC..., or --check NAME");
  std::vector<Spec> specs;
  for (const std::string& path : given.specs) {
    auto spec = read_spec(path);
    if (!spec) return spec.error();
    if (!given.gpu.empty()) spec->gpu = given.gpu;
    specs.push_back(*std::move(spec));
  }
  for (const Spec& spec : specs) {
    if (spec.gpu == specs.front().gpu) continue;
    return error_at(
        spec.gpu_at,
        fmt::format("gpu {} differs from {} of {}: the specs of one command line share a process",
                    spec.gpu, specs.front().gpu, specs.front().path),
        "--gpu NAME for all of them, or one command each");
  }
  return specs;
}

// Unknown names get the place in the spec when that is where the name stands.
Result<devices::Device> find_gpu(const VerifyArguments& given, const Spec& spec) {
  auto device = devices::find(spec.gpu);
  if (device || !given.gpu.empty()) return device;
  Error problem = device.error();
  if (problem.where.file.empty()) problem.where = spec.gpu_at;
  return problem;
}

// On a real GPU the prediction must be for that GPU: reduction scratch and workspaces depend on
// these numbers.
Status check_same_gpu(const devices::Device& predicted) {
  const run::CudaDevice real = run::cuda_device();
  const bool same = real.compute_major == predicted.compute_major &&
                    real.compute_minor == predicted.compute_minor &&
                    real.multiprocessors == predicted.multiprocessors;
  if (same) return Done{};
  return error(
      fmt::format("predicted for {} ({}.{}, {} SMs), but the CUDA device is {} ({}.{}, {} SMs)",
                  predicted.name, predicted.compute_major, predicted.compute_minor,
                  predicted.multiprocessors, real.name, real.compute_major, real.compute_minor,
                  real.multiprocessors),
      "--gpu with this device's profile, or --device emulated");
}

Result<std::vector<compare::Report>> run_and_compare(const VerifyArguments& given,
                                                     const std::vector<Spec>& specs,
                                                     const devices::Device& gpu,
                                                     run::DeviceKind device) {
  if (device == run::DeviceKind::Cuda) {
    if (const Status same = check_same_gpu(gpu); !same) return same.error();
  }
  const auto estimates = pipeline::estimate(specs, gpu);
  if (!estimates) return estimates.error();
  const auto measurements = run::measure(specs, {device});
  if (!measurements) return measurements.error();
  std::vector<compare::Report> reports;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    reports.push_back(compare::compare(estimates->at(i), measurements->at(i), given.tolerance));
  }
  return reports;
}

int report(const VerifyArguments& given, const std::vector<compare::Report>& reports) {
  int code = kExitClean;
  for (const compare::Report& one : reports) code = one.within ? code : kExitFound;
  const std::string text =
      given.format == "json" ? compare::render_json(reports) : compare::render_text(reports);
  return emit(kProgram, text, given.output, code);
}

int run_verify(const VerifyArguments& given) {
  const auto specs = read_specs(given);
  if (!specs) return complain(kProgram, specs.error());
  const auto gpu = find_gpu(given, specs->front());
  if (!gpu) return complain(kProgram, gpu.error());
  const auto memory = given.memory.empty() ? std::nullopt : parse_bytes(given.memory);
  if (!given.memory.empty() && (!memory || *memory < 1)) {
    return complain(kProgram,
                    error(fmt::format("--memory is '{}'", given.memory), "a size such as 16GiB"));
  }
  const auto device = choose_device({kProgram, given.device, *gpu, memory, command_line()});
  if (!device) return complain(kProgram, device.error());
  const auto reports = run_and_compare(given, *specs, *gpu, *device);
  if (!reports) return complain(kProgram, reports.error());
  return report(given, *reports);
}

}  // namespace

int verify(const std::vector<std::string>& arguments) {
  VerifyArguments given;
  const po::options_description options = describe(given);
  const auto parsed = parse(arguments, options, "spec");
  if (!parsed) return complain(kProgram, parsed.error());
  if (parsed->values.count("help") > 0) return emit(kProgram, help(options), "", kExitClean);
  if (parsed->values.count("version") > 0) {
    return emit(kProgram,
                fmt::format("{} {} (LibTorch {})\n", kProgram, kVersion, run::linked_version()), "",
                kExitClean);
  }
  if (const Status words = check_words(given); !words) return complain(kProgram, words.error());
  if (!given.check.empty()) return run_check(given.check, given.format, given.output);
  return run_verify(given);
}

}  // namespace forerun::cli
