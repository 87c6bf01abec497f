// Runs a program and waits for it.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace forerun::dryrun {

// Starts argv[0] (looked up in PATH of `environment`) with the caller's standard streams and waits.
// The first SIGINT is the program's to act on, which the terminal sends it to as well; the second
// kills it. SIGTERM and SIGHUP are passed on to it. The caller outlives them all to report. Returns
// the exit status, 128 + signal when one ended it. Errors: it cannot be
// started, with the system's reason.
Result<int> run_program(const std::vector<std::string>& argv,
                        const std::vector<std::string>& environment);

}  // namespace forerun::dryrun
