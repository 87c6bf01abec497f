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

// One file as an editor holds it, saved or not; headers it includes are read from the disk. Errors:
// as for a file that cannot be checked.
Result<Linted> lint_text(const Arguments& arguments, const std::string& path, std::string text);

}  // namespace forerun::cli
