// From a command line to a report: every file lowered, checked, and its findings gathered.
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/arguments.h"
#include "analyzer/engine/writers.h"

namespace forerun::cli {

struct Linted {
  engine::Report report;
  std::vector<std::string> notes;  // about files and the run, in order, each once
  std::string ir;                  // --print-ir
  bool fails = false;              // a finding at or above the level that fails
};

// Errors: a configuration or baseline that cannot be used. Files that cannot be checked are in the
// report, the others are checked all the same.
Result<Linted> lint(const Arguments& arguments);

}  // namespace forerun::cli
