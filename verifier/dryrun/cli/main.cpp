// forerun-dry-run [options] -- COMMAND...
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "core/files.h"
#include "core/units.h"
#include "verifier/dryrun/cli/options.h"
#include "verifier/dryrun/cuda_release.h"
#include "verifier/dryrun/process.h"
#include "verifier/dryrun/run_report.h"
#include "verifier/dryrun/trace.h"

namespace forerun::cli {
namespace {

constexpr const char* kProgram = "forerun dry-run";
constexpr int kExitDoesNotFit = 3;

const Usage& usage() {
  static const Usage text{
      kProgram,
      "executes your program on an emulated GPU and reports the device memory it took, what it "
      "launched, copied and waited for, and what grows",
      "[options] -- COMMAND [ARGUMENT...]",
      "the program's own; 128 + N when signal N ended it; 3 when it failed after running out of "
      "device memory; 2 when it could not be run or the report could not be written"};
  return text;
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

// The two pieces of memory a program is watched through.
struct Watch {
  dryrun::SharedReport report;
  std::optional<dryrun::SharedLog> log;
};

Result<Watch> make_watch(const DryRunOptions& options) {
  Result<dryrun::SharedReport> report = dryrun::SharedReport::create();
  if (!report) return report.error();
  if (!options.events) return Watch{std::move(*report), std::nullopt};
  Result<dryrun::SharedLog> log = dryrun::SharedLog::create(options.stop_after_steps);
  if (!log) return log.error();
  return Watch{std::move(*report), std::move(*log)};
}

dryrun::RunReport gather(const DryRunOptions& options, const Watch& watch, int status,
                         dryrun::Trace& trace) {
  dryrun::RunReport report;
  report.command = options.command;
  report.status = status;
  report.gpu = options.machine.device.name;
  report.gpus = options.machine.device_count;
  report.usable_bytes = options.machine.device.usable_bytes();
  report.context_bytes = options.machine.device.context_bytes;
  report.counts = watch.report.read();
  report.does_not_fit = status != 0 && dryrun::ran_out_of_memory(report.counts);
  report.has_events = watch.log.has_value();
  if (!watch.log) return report;
  std::error_code failure;
  const dryrun::PathStyle style{std::filesystem::current_path(failure).string(), options.command};
  const std::vector<int> processes = watch.log->processes();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const dryrun::ProcessLog log = watch.log->read(processes[i]);
    if (log.events.empty() && log.steps_ended == 0) continue;
    dryrun::add_process(report, dryrun::analyse(log, style));
    if (!options.trace.empty()) trace.add(log, style, processes.size() - i);
  }
  report.lost_processes = watch.log->lost_processes();
  return report;
}

// Returns the exit code to use: `code`, or kExitCannotRun when a file could not be written.
int write_out(const DryRunOptions& options, const dryrun::RunReport& report,
              const dryrun::Trace& trace, int code) {
  const std::string text =
      options.json ? dryrun::to_json(report) : dryrun::to_text(report, options.is_long);
  if (options.output.empty()) {
    std::fputs(text.c_str(), stderr);
  } else if (const Status status = write_file(options.output, text); !status) {
    code = complain(kProgram, status.error());
  }
  if (options.trace.empty()) return code;
  if (const Status status = write_file(options.trace, trace.text()); !status)
    code = complain(kProgram, status.error());
  return code;
}

int execute(const DryRunOptions& options) {
  const Result<std::string> found = emulator_folder();
  if (!found) return complain(kProgram, found.error());
  const Result<std::string> folder =
      dryrun::emulator_of(*found, dryrun::wanted_cuda(options.command, current_environment()));
  if (!folder) return complain(kProgram, folder.error());
  const Result<Watch> watch = make_watch(options);
  if (!watch) return complain(kProgram, watch.error());
  Result<std::vector<std::string>> environment =
      dryrun::environment(options.machine, *folder, current_environment());
  if (!environment) return complain(kProgram, environment.error());
  const auto set = [&environment](const char* name, const std::string& value) {
    environment->push_back(std::string(name) + "=" + value);
  };
  set(dryrun::kReportVariable, watch->report.path());
  if (watch->log) set(dryrun::kEventsVariable, watch->log->path());

  say(
      fmt::format("executing your program, {}, on {}; what it does to files and networks is real, "
                  "what it computes on the device is not",
                  options.command.front(), described(options.machine)));
  const Result<int> status = dryrun::run_program(options.command, *environment);
  if (!status) return complain(kProgram, status.error());

  dryrun::Trace trace;
  const dryrun::RunReport report = gather(options, *watch, *status, trace);
  say(fmt::format("{} ended with status {}{}", options.command.front(), *status,
                  report.does_not_fit ? "; it ran out of device memory" : ""));
  return write_out(options, report, trace, report.does_not_fit ? kExitDoesNotFit : *status);
}

int run(const std::vector<std::string>& arguments) {
  const auto known = dry_run_options();
  const Result<Parsed> parsed = parse(arguments, known, "");
  if (!parsed) return complain(kProgram, parsed.error());
  if (parsed->values.count("help") != 0)
    return emit(kProgram, help_text(usage(), known), "", kExitClean);
  const Result<DryRunOptions> options = read_options(*parsed);
  if (!options) return complain(kProgram, options.error());
  return execute(*options);
}

}  // namespace
}  // namespace forerun::cli

int main(int argc, char** argv) {
  return forerun::cli::guarded_main(argc, argv, forerun::cli::kProgram, &forerun::cli::run);
}
