// forerun estimate: reads specs, asks the pipeline, prints.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/options/options.h"
#include "core/nearest.h"
#include "core/report_writers.h"
#include "core/spec.h"
#include "core/units.h"
#include "core/version.h"
#include "estimator/cli/answers.h"
#include "estimator/cli/explain.h"
#include "estimator/devices/device.h"
#include "estimator/graph/exported.h"
#include "estimator/pipeline/estimate.h"
#include "estimator/pipeline/stages.h"
#include "estimator/pipeline/timeline.h"
#include "estimator/pipeline/trace.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* kProgram = "forerun estimate";
const std::vector<std::string> kFormats = {"text", "json", "html"};
const std::vector<std::string> kStages = {"graph", "schedule", "trace"};

struct Arguments {
  std::vector<std::string> specs;
  std::string gpu, format = "text", output, stop_after, explain;
  std::string memory, sweep, allocator, trace;
  bool max_batch = false, what_if = false;
  bool names_gpu = false, names_memory = false, stops = false, sweeps = false,
       names_allocator = false,
       traces = false;  // the option is there, whatever its value
};

po::options_description describe(Arguments& into) {
  po::options_description options;
  options.add_options()           //
      ("help", "this")            //
      ("version", "the version")  //
      ("gpu", po::value(&into.gpu)->value_name("NAME"),
       "this GPU instead of the spec's; a name or a profile's path that ends in .json")  //
      ("memory", po::value(&into.memory)->value_name("BYTES"),
       "the GPU's memory, if not its own: 80GiB")  //
      ("allocator", po::value(&into.allocator)->value_name("TEXT"),
       "the allocator's options instead of the spec's, as PYTORCH_CUDA_ALLOC_CONF writes them")  //
      ("format", po::value(&into.format)->value_name("text|json|html"),
       "how the report is written (text)")                                                //
      ("output", po::value(&into.output)->value_name("FILE"), "writes the report there")  //
      ("trace", po::value(&into.trace)->value_name("FILE"),
       "writes the memory of the steps there, for Perfetto or chrome://tracing")  //
      ("stop-after", po::value(&into.stop_after)->value_name("STAGE"),
       "prints graph, schedule or trace instead of the report")  //
      ("max-batch", po::bool_switch(&into.max_batch),
       "the largest batch_size that fits the GPU, instead of the report")  //
      ("sweep", po::value(&into.sweep)->value_name("KEY=VALUES"),
       "a row for each: batch_size=1..64, precision=fp32,bf16-mixed")  //
      ("what-if", po::bool_switch(&into.what_if),
       "what each known way to save memory would save, the best first")  //
      ("explain", po::value(&into.explain)->value_name("NAME"),
       "the page about a layer or a GPU; '' lists them")  //
      ("spec", po::value(&into.specs), "");
  return options;
}

Status check_word(const std::string& option, const std::string& value,
                  const std::vector<std::string>& accepted) {
  for (const std::string& word : accepted) {
    if (word == value) return Done{};
  }
  return error(fmt::format("{} '{}' is not known", option, value), suggest(value, accepted));
}

Result<std::vector<Spec>> read_all(const Arguments& given) {
  std::optional<AllocatorOptions> allocator;
  if (given.names_allocator) {
    const auto read = parse_allocator_options(given.allocator, {"--allocator", {}, {}});
    if (!read) return read.error();
    allocator = *read;
  }
  std::vector<Spec> specs;
  for (const std::string& path : given.specs) {
    auto spec = read_spec(path);
    if (!spec) return spec.error();
    if (spec->source && spec->source->is_file()) {
      auto program = graph::program_of(*spec->source);
      if (!program) return program.error();
      spec->source->program = std::move(*program);  // once, however often its graph is built
    }
    specs.push_back(std::move(*spec));
    if (allocator) specs.back().allocator = *allocator;
  }
  return specs;
}

// The GPU as it is, or with another amount of memory.
Result<devices::Device> resize(devices::Device device, const Arguments& given) {
  if (!given.names_memory) return device;
  const auto bytes = parse_bytes(given.memory);
  if (!bytes || *bytes <= device.context_bytes) {
    return error(fmt::format("--memory '{}' is no amount of memory", given.memory),
                 fmt::format("more than the {} a CUDA context takes, such as 24GiB",
                             format_bytes(device.context_bytes)));
  }
  device.total_memory_bytes = *bytes;
  return device;
}

// One process runs on one GPU: the command line's, or the one all specs agree on.
Result<devices::Device> choose_gpu(const std::vector<Spec>& specs, const Arguments& given) {
  if (given.names_gpu) return devices::find(given.gpu);
  for (const Spec& spec : specs) {
    if (spec.gpu == specs[0].gpu) continue;
    return error_at(spec.gpu_at,
                    fmt::format("specs that share a process name two GPUs: '{}' and '{}'",
                                specs[0].gpu, spec.gpu),
                    "--gpu NAME for all of them");
  }
  auto device = devices::find(specs[0].gpu);
  if (device) return device;
  Error problem = device.error();
  if (problem.where.file.empty()) problem.where = specs[0].gpu_at;
  return problem;
}

// The last spec's intermediate, with what ran before it in the process.
Result<std::string> print_stage(const std::vector<Spec>& specs, const devices::Device& device,
                                const std::string& stage) {
  const auto stages =
      pipeline::build_stages(pipeline::history(specs, specs.size() - 1), specs.back(), device);
  if (!stages) return stages.error();
  if (stage == "graph") return graph::print(stages->graph);
  if (stage == "schedule") return pipeline::print(stages->recording);
  const auto trace = pipeline::replay(stages->recording, nullptr, specs.back().allocator);
  return pipeline::print(stages->recording, *trace);
}

// --max-batch, --sweep, --what-if: about one spec, in place of its report.
int answer(const Arguments& given, const std::vector<Spec>& specs, const devices::Device& device) {
  if (given.max_batch + given.sweeps + given.what_if > 1)
    return complain(kProgram,
                    error("--max-batch, --sweep and --what-if are asked at once", "one of them"));
  if (specs.size() > 1)
    return complain(kProgram, error("--max-batch, --sweep and --what-if are about one spec",
                                    "name what ran before with after:"));
  const auto made = given.max_batch ? answer_max_batch(specs[0], device, given.format)
                    : given.sweeps  ? answer_sweep(specs[0], device, given.sweep, given.format)
                                    : answer_what_if(specs[0], device, given.format);
  if (!made) return complain(kProgram, made.error());
  return emit(kProgram, made->text, given.output, made->fits ? kExitClean : kExitFound);
}

// The timeline of the last spec, with what ran before it: a trace, a page, or both.
int show(const Arguments& given, const std::vector<Spec>& specs, const devices::Device& device,
         const std::vector<Estimate>& estimates, int status) {
  const auto timeline =
      pipeline::timeline(pipeline::history(specs, specs.size() - 1), specs.back(), device);
  if (!timeline) return complain(kProgram, timeline.error());
  if (given.traces) {
    const int written =
        emit(kProgram, pipeline::to_chrome_trace(*timeline), given.trace, kExitClean);
    if (written != kExitClean) return written;
  }
  const std::string text = given.format == "html"   ? pipeline::to_html(*timeline, estimates.back())
                           : given.format == "json" ? to_json(estimates)
                                                    : to_text(estimates);
  return emit(kProgram, text, given.output, status);
}

int run_estimate(const Arguments& given) {
  if (const Status known = check_word("--format", given.format, kFormats); !known)
    return complain(kProgram, known.error());
  if (given.stops) {
    if (const Status known = check_word("--stop-after", given.stop_after, kStages); !known)
      return complain(kProgram, known.error());
  }
  if (given.specs.empty())
    return complain(kProgram,
                    error("no spec is named", "forerun estimate SPEC.yaml; --help says more"));
  const auto specs = read_all(given);
  if (!specs) return complain(kProgram, specs.error());
  const auto chosen = choose_gpu(*specs, given);
  if (!chosen) return complain(kProgram, chosen.error());
  const auto device = resize(*chosen, given);
  if (!device) return complain(kProgram, device.error());
  if (given.stops) {
    const auto text = print_stage(*specs, *device, given.stop_after);
    return text ? emit(kProgram, *text, given.output, kExitClean)
                : complain(kProgram, text.error());
  }
  if (given.max_batch || given.sweeps || given.what_if) {
    if (given.format == "html" || given.traces)
      return complain(kProgram, error("--max-batch, --sweep and --what-if have no timeline",
                                      "--format text or json, without --trace"));
    return answer(given, *specs, *device);
  }
  const auto estimates = pipeline::estimate(*specs, *device);
  if (!estimates) return complain(kProgram, estimates.error());
  bool fits = true;
  for (const Estimate& estimate : *estimates) fits = fits && estimate.memory.fits;
  const int status = fits ? kExitClean : kExitFound;
  if (given.traces || given.format == "html")
    return show(given, *specs, *device, *estimates, status);
  const std::string text = given.format == "json" ? to_json(*estimates) : to_text(*estimates);
  return emit(kProgram, text, given.output, status);
}

int explain(const Arguments& given) {
  if (given.explain.empty()) return emit(kProgram, known_pages(), given.output, kExitClean);
  const auto text = page(given.explain);
  return text ? emit(kProgram, *text, given.output, kExitClean) : complain(kProgram, text.error());
}

int run(const std::vector<std::string>& arguments) {
  Arguments given;
  const po::options_description options = describe(given);
  const auto parsed = parse(arguments, options, "spec");
  if (!parsed) return complain(kProgram, parsed.error());
  if (parsed->values.count("help") > 0) {
    const Usage usage{kProgram,
                      "predicts the memory and time of a training step, without running it",
                      "SPEC... [options]; several specs share one process, in order",
                      "0 fits, 1 does not fit, 2 bad spec or usage"};
    return emit(kProgram, help_text(usage, options), "", kExitClean);
  }
  if (parsed->values.count("version") > 0)
    return emit(kProgram, fmt::format("forerun {}\n", kVersion), "", kExitClean);
  if (parsed->values.count("explain") > 0) return explain(given);
  given.names_gpu = parsed->values.count("gpu") > 0;
  given.names_memory = parsed->values.count("memory") > 0;
  given.stops = parsed->values.count("stop-after") > 0;
  given.names_allocator = parsed->values.count("allocator") > 0;
  given.traces = parsed->values.count("trace") > 0;
  given.sweeps = parsed->values.count("sweep") > 0;
  given.specs.insert(given.specs.end(), parsed->rest.begin(), parsed->rest.end());
  return run_estimate(given);
}

}  // namespace
}  // namespace forerun::cli

int main(int argc, char** argv) {
  return forerun::cli::guarded_main(argc, argv, forerun::cli::kProgram, forerun::cli::run);
}
