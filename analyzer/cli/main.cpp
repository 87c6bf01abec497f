// forerun lint: reads files, asks the rules, prints.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "analyzer/cli/arguments.h"
#include "analyzer/cli/language_server.h"
#include "analyzer/cli/lint.h"
#include "analyzer/engine/fixes.h"
#include "analyzer/engine/selection.h"
#include "core/files.h"
#include "core/version.h"

namespace forerun::cli {
namespace {

constexpr const char* kProgram = "forerun lint";

bool wants_colour(const Arguments& given) {
  const char* no_colour = std::getenv("NO_COLOR");
  return given.output.empty() && (no_colour == nullptr || *no_colour == '\0') &&
         ::isatty(STDOUT_FILENO) == 1;
}

std::string render(const Arguments& given, const Linted& linted) {
  if (given.print_ir) return linted.ir;
  if (given.format == "json") return engine::write_json(linted.report);
  if (given.format == "sarif") return engine::write_sarif(linted.report);
  if (given.format == "github") return engine::write_github(linted.report);
  if (given.format == "gitlab") return engine::write_gitlab(linted.report);
  if (given.format == "junit") return engine::write_junit(linted.report);
  if (given.statistics) return engine::write_statistics(linted.report);
  return engine::write_text(linted.report, wants_colour(given));
}

void summarise(const engine::Report& report) {
  int counts[3] = {0, 0, 0};
  for (const Finding& finding : report.findings) ++counts[static_cast<int>(finding.level)];
  auto count = [](int n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string line =
      fmt::format("{} checked: {}, {}, {}", count(report.files, "file"), count(counts[2], "error"),
                  count(counts[1], "warning"), count(counts[0], "note"));
  if (report.suppressed > 0) line += fmt::format("; {} suppressed", report.suppressed);
  if (report.known > 0) line += fmt::format("; {} in the baseline", report.known);
  std::fprintf(stderr, "%s: %s\n", kProgram, line.c_str());
}

int explain(const std::string& id, const std::string& output) {
  if (id.empty()) {
    std::string names;
    for (const std::string& one : engine::rule_ids()) {
      if (one != engine::kUnusedSuppression) names += one + "\n";
    }
    return emit(kProgram, names, output, kExitClean);
  }
  const auto page = engine::explain_rule(id);
  return page ? emit(kProgram, *page, output, kExitClean) : complain(kProgram, page.error());
}

// A fix may uncover another, or have to wait for one it overlaps; this many rounds settle all but a
// pair of rules that undo each other.
constexpr int kMaxFixRounds = 10;

Status write_fixed(const engine::Report& report, const engine::Fixed& fixed) {
  for (const auto& [path, text] : fixed.texts) {
    if (Status written = write_file(path, text); !written) return written;
  }
  for (const auto& [path, cells] : fixed.cells) {
    Status written = write_file(path, engine::with_sources(report.notebooks.at(path), cells));
    if (!written) return written;
  }
  return Done{};
}

Result<Linted> lint_and_fix(const Arguments& given) {
  int mended = 0;
  for (int round = 0;; ++round) {
    auto linted = lint(given);
    if (!linted) return linted;
    const engine::Fixed fixed = engine::apply_fixes(linted->report.findings, linted->report.texts);
    if (fixed.applied == 0 || round == kMaxFixRounds) {
      if (mended > 0) linted->notes.push_back(fmt::format("{} mended", mended));
      return linted;
    }
    if (const Status written = write_fixed(linted->report, fixed); !written) return written.error();
    mended += fixed.applied;
  }
}

int show_diff(const Arguments& given, const Linted& linted) {
  const engine::Fixed fixed = engine::apply_fixes(linted.report.findings, linted.report.texts);
  const bool broken = !linted.report.errors.empty();
  return emit(kProgram, fixed.diff, given.output,
              broken              ? kExitCannotRun
              : fixed.applied > 0 ? kExitFound
                                  : kExitClean);
}

int run_lint(const Arguments& given) {
  const auto linted = given.fix && !given.diff ? lint_and_fix(given) : lint(given);
  if (!linted) return complain(kProgram, linted.error());
  for (const std::string& note : linted->notes)
    std::fprintf(stderr, "%s: %s\n", kProgram, note.c_str());
  for (const Error& problem : linted->report.errors) complain(kProgram, problem);
  if (given.diff) return show_diff(given, *linted);
  const bool broken = !linted->report.errors.empty();
  if (given.update_baseline) {
    const Status written = write_file(
        given.baseline, engine::write_baseline(linted->report.findings, linted->report.texts));
    if (!written) return complain(kProgram, written.error());
    std::fprintf(stderr, "%s: %zu findings recorded in %s\n", kProgram,
                 linted->report.findings.size(), given.baseline.c_str());
    return broken ? kExitCannotRun : kExitClean;
  }
  const int code = broken ? kExitCannotRun : linted->fails ? kExitFound : kExitClean;
  const int written = emit(kProgram, render(given, *linted), given.output, code);
  if (!given.print_ir && linted->report.files > 0 && written != kExitCannotRun)
    summarise(linted->report);
  return written;
}

int run(const std::vector<std::string>& words) {
  const auto given = parse_arguments(words);
  if (!given) return complain(kProgram, given.error());
  if (given->help) return emit(kProgram, lint_help(), "", kExitClean);
  if (given->version) return emit(kProgram, fmt::format("forerun {}\n", kVersion), "", kExitClean);
  if (given->list_rules) return emit(kProgram, engine::list_rules(), given->output, kExitClean);
  if (given->explain) return explain(*given->explain, given->output);
  if (given->lsp) return serve(*given);
  return run_lint(*given);
}

}  // namespace
}  // namespace forerun::cli

int main(int argc, char** argv) {
  return forerun::cli::guarded_main(argc, argv, forerun::cli::kProgram, forerun::cli::run);
}
