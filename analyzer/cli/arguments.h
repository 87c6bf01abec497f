// The command line of forerun-lint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/selection.h"
#include "cli/options/options.h"

namespace forerun::cli {

struct Arguments {
  std::vector<std::string> paths;
  std::string build_path;
  std::vector<std::string> flags;  // after --
  std::vector<std::string> extra_args;
  std::vector<std::string> torch;
  std::string stdin_filename = "stdin.py";
  std::string format = "text", output;
  std::string configuration;
  std::string baseline;
  std::string cache_folder;
  std::optional<std::string> explain;
  bool update_baseline = false, no_cache = false, isolated = false;
  bool print_ir = false, list_rules = false, statistics = false;
  bool fix = false, diff = false, lsp = false;
  bool help = false, version = false;
  int jobs = 0;               // 0: one a core
  engine::Settings settings;  // what the command line says; stands above the configuration
};

Result<Arguments> parse_arguments(const std::vector<std::string>& words);
std::string lint_help();

}  // namespace forerun::cli
