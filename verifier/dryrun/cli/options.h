// The command line of forerun-dry-run as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "core/result.h"
#include "verifier/dryrun/environment.h"

namespace forerun::cli {

struct DryRunOptions {
  dryrun::EmulatedMachine machine;
  std::vector<std::string> command;
  std::int64_t stop_after_steps = 0;  // 0: never
  bool events = true, is_long = false, json = false;
  std::string output, trace;  // files; "" is standard error, and no trace
};

boost::program_options::options_description dry_run_options();

// Errors name the option and what it would accept; a folder that a file cannot be written into is
// found before the program runs.
Result<DryRunOptions> read_options(const Parsed& parsed);

}  // namespace forerun::cli
