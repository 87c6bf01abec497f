#include "analyzer/cli/lint.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "analyzer/cache/cache.h"
#include "analyzer/cli/package.h"
#include "analyzer/cli/places.h"
#include "analyzer/cli/sources.h"
#include "analyzer/cpp/frontend.h"
#include "analyzer/engine/check.h"
#include "analyzer/engine/configuration.h"
#include "analyzer/engine/fixes.h"
#include "analyzer/python/frontend.h"
#include "core/files.h"

namespace forerun::cli {
namespace {

namespace fs = std::filesystem;

struct FileResult {
  std::optional<Error> error;
  std::vector<std::string> notes;
  engine::Checked checked;
  std::string ir;
  engine::Texts texts;
  std::optional<engine::Notebook> notebook;
};

// The command line's words stand above the file's: --select replaces, the rest adds.
engine::Settings merged(engine::Settings file, const engine::Settings& line) {
  if (!line.select.empty()) file.select = line.select;
  file.ignore.insert(file.ignore.end(), line.ignore.begin(), line.ignore.end());
  file.severity.insert(file.severity.end(), line.severity.begin(), line.severity.end());
  file.per_file_ignores.insert(file.per_file_ignores.end(), line.per_file_ignores.begin(),
                               line.per_file_ignores.end());
  file.exclude.insert(file.exclude.end(), line.exclude.begin(), line.exclude.end());
  if (line.fail_on || line.fail_never) {
    file.fail_on = line.fail_on;
    file.fail_never = line.fail_never;
  }
  return file;
}

// The selection for each folder, from its nearest configuration.
class Configurations {
 public:
  explicit Configurations(const Arguments& arguments) : arguments_(arguments) {}

  Result<const engine::Selection*> for_file(const std::string& path) {
    const std::string folder = path == "-" ? "." : fs::path(path).parent_path().string();
    return for_folder(folder.empty() ? "." : folder);
  }

  Result<const engine::Selection*> for_folder(const std::string& folder) {
    if (const auto known = by_folder_.find(folder); known != by_folder_.end())
      return &known->second;
    auto settings = read(folder);
    if (!settings) return settings.error();
    return &by_folder_
                .emplace(folder,
                         engine::Selection(merged(std::move(*settings), arguments_.settings)))
                .first->second;
  }

 private:
  Result<engine::Settings> read(const std::string& folder) const {
    if (arguments_.configuration.empty() && arguments_.isolated) return engine::Settings{};
    if (arguments_.configuration.empty()) {
      auto found = engine::find_configuration(folder);
      if (!found) return found.error();
      return std::move(found->settings);
    }
    const auto text = read_file(arguments_.configuration);
    if (!text) return text.error();
    return engine::read_configuration(*text, arguments_.configuration);
  }

  const Arguments& arguments_;
  std::map<std::string, engine::Selection> by_folder_;
};

// Empty: nothing is kept.
std::string cache_folder(const Arguments& arguments) {
  if (arguments.no_cache) return "";
  return arguments.cache_folder.empty() ? default_cache_folder() : arguments.cache_folder;
}

class Linter {
 public:
  // `kept`: what is known of files from before; absent when nothing is to be kept. `python`: the
  // files that Python's imports are looked for among.
  explicit Linter(const Arguments& arguments, cache::Cache* kept = nullptr,
                  const std::vector<std::string>& python = {})
      : arguments_(arguments), kept_(kept), package_(python) {
    options_.build_path = arguments.build_path;
    options_.flags = arguments.flags;
    options_.extra_args = arguments.extra_args;
    options_.torch_roots = torch_roots(arguments.torch);
    options_.cache_path = cache_folder(arguments);
    options_.progress = [this](const std::string& what) {
      const std::lock_guard lock(progress_);
      std::fprintf(stderr, "forerun lint: %s\n", what.c_str());
    };
  }

  FileResult run(const std::string& path, const engine::Selection& selection) {
    const std::string name = path == "-" ? arguments_.stdin_filename : path;
    auto text = read_file(path);
    if (!text) return refused(text.error());
    if (is_notebook(name)) return run_notebook(name, std::move(*text), selection);
    return run(name, std::move(*text), selection);
  }

  // `text` is what the file holds.
  FileResult run(const std::string& name, std::string text, const engine::Selection& selection) {
    // What C++ includes is not in its text.
    if (kept_ == nullptr || !kept_->enabled() || arguments_.print_ir || is_cpp(name))
      return check(name, std::move(text), selection);
    const std::string settings = selection.fingerprint();
    const std::string around = package_.digest(name, text);
    if (auto known = kept_->find({name, settings, around, text})) {
      FileResult result;
      if (!known->findings.empty()) result.texts[name] = std::move(text);
      result.notes = std::move(known->notes);
      result.checked = {std::move(known->findings), std::move(known->checked_notes),
                        known->suppressed, std::move(known->silencing)};
      for (const Finding& finding : result.checked.findings)
        keep_text(finding.location.file, result);
      return result;
    }
    const std::string asked = text;
    FileResult result = check(name, std::move(text), selection);
    if (!result.error)
      kept_->store({name, settings, around, asked},
                   {result.checked.findings, result.notes, result.checked.notes,
                    result.checked.suppressed, result.checked.silencing});
    return result;
  }

 private:
  FileResult check(const std::string& name, std::string text, const engine::Selection& selection) {
    FileResult result;
    if (const Status readable = check_encoding(name, text, result); !readable)
      return refused(readable.error());
    if (!is_cpp(name) && !arguments_.print_ir && is_quiet(name, text)) return result;
    auto program = lower(name, std::move(text), result);
    if (!program) return refused(program.error());
    if (program->language == ir::Language::Python) package_.link(*program);
    for (const std::string& note : program->notes)
      result.notes.push_back(note.starts_with(program->path) ? note : program->path + ": " + note);
    if (arguments_.print_ir) {
      result.ir = ir::print(*program);
      return result;
    }
    result.checked = engine::check(*program, selection);
    if (result.checked.findings.empty()) result.texts.clear();
    for (const Finding& finding : result.checked.findings) keep_text(finding.location.file, result);
    engine::keep_certain_fixes(result.checked.findings, result.texts);
    return result;
  }

  // Nothing in the file can concern a rule, nor in what it imports from the others of the run.
  bool is_quiet(const std::string& name, std::string_view text) {
    return !python::may_concern_training(text) && package_.digest(name, text).empty();
  }

  // The cells as one program, and what is found put back where it stands.
  FileResult run_notebook(const std::string& name, std::string text,
                          const engine::Selection& selection) {
    auto notebook = engine::read_notebook(std::move(text), name);
    if (!notebook) return refused(notebook.error());
    if (!notebook->language.empty()) {
      FileResult other;
      other.notes.push_back(
          fmt::format("{}: is a notebook in {}: not checked", name, notebook->language));
      return other;
    }
    FileResult result = run(name, std::move(notebook->program), selection);
    notebook->program.clear();
    if (result.error) result.error->where = engine::placed(*notebook, result.error->where);
    for (std::string& note : result.notes) note = engine::placed_note(*notebook, note);
    for (std::string& note : result.checked.notes) note = engine::placed_note(*notebook, note);
    for (Finding& finding : result.checked.findings) engine::place(*notebook, finding);
    result.texts.erase(name);
    if (!result.checked.findings.empty()) {
      for (const auto& cell : notebook->cells)
        result.texts[engine::text_name({name, {}, {}, cell.number})] = cell.text;
      result.notebook = std::move(*notebook);
    }
    return result;
  }

  static FileResult refused(Error problem) {
    FileResult result;
    result.error = std::move(problem);
    return result;
  }

  // C++ compilers take bytes that are not UTF-8 in comments and literals (Clang warns of
  // -Winvalid-utf8 at most); Python wants its encoding declared (PEP 263), and only UTF-8 is read.
  static Status check_encoding(const std::string& name, std::string_view text, FileResult& result) {
    if (!is_binary(text)) return Done{};
    if (!is_cpp(name))
      return error_at({name, {}, {}}, "is not a text file in UTF-8",
                      "Python source in UTF-8 (save it as UTF-8 if it declares another coding)");
    if (text.find('\0') != std::string_view::npos)
      return error_at({name, {}, {}}, "is not a text file: it holds a NUL byte", "C++ source");
    result.notes.push_back(name + ": is not in UTF-8: checked all the same, with columns in bytes");
    return Done{};
  }

  Result<ir::Program> lower(const std::string& name, std::string text, FileResult& result) {
    const std::string& kept = result.texts[name] = std::move(text);
    return is_cpp(name) ? lower_cpp(name, kept, result) : python::lower(kept, name);
  }

  Result<ir::Program> lower_cpp(const std::string& path, std::string_view text,
                                FileResult& result) {
    auto lowered = cpp::lower(path, options_, text);
    if (!lowered) return lowered.error();
    if (!lowered->flags_from.empty()) result.notes.push_back(lowered->flags_from);
    result.notes.insert(result.notes.end(), lowered->messages.begin(), lowered->messages.end());
    return std::move(lowered->program);
  }

  // The text of a header that a finding is in, for its fingerprint.
  static void keep_text(const std::string& file, FileResult& result) {
    if (result.texts.contains(file)) return;
    auto text = read_file(file);
    result.texts[file] = text ? std::move(*text) : std::string();
  }

  const Arguments& arguments_;
  cache::Cache* kept_;
  Package package_;
  cpp::Options options_;
  std::mutex progress_;
};

struct Job {
  std::string path;
  const engine::Selection* selection;
  // A header that was come upon: it may lean on whoever includes it, and is checked there too.
  bool may_fail = false;
};

std::vector<FileResult> run_all(const Arguments& arguments, const std::vector<Job>& jobs,
                                cache::Cache& kept) {
  std::vector<std::string> python;
  for (const Job& job : jobs)
    if (is_python(job.path)) python.push_back(job.path);
  Linter linter(arguments, &kept, python);
  std::vector<FileResult> results(jobs.size());
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        results[i] = linter.run(jobs[i].path, *jobs[i].selection);
      } catch (const std::exception& problem) {
        results[i].error =
            error_at({jobs[i].path, {}, {}}, fmt::format("internal error: {}", problem.what()),
                     "please report it with this file");
      }
    }
  };
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t wanted = arguments.jobs > 0 ? static_cast<std::size_t>(arguments.jobs) : cores;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(wanted, jobs.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  kept.prune();
  return results;
}

void add_note(Linted& linted, std::set<std::string>& seen, const std::string& note) {
  if (seen.insert(note).second) linted.notes.push_back(note);
}

std::set<Location> silencing_elsewhere(const std::vector<FileResult>& results) {
  std::set<Location> all;
  for (const FileResult& one : results)
    all.insert(one.checked.silencing.begin(), one.checked.silencing.end());
  return all;
}

Linted gather(const Arguments& arguments, const std::vector<Job>& jobs,
              std::vector<FileResult> results) {
  Linted linted;
  std::set<std::string> seen;
  std::map<std::string, const engine::Selection*> selection_of;
  const std::set<Location> silencing = silencing_elsewhere(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    FileResult& one = results[i];
    for (const std::string& note : one.notes) add_note(linted, seen, note);
    for (const std::string& note : one.checked.notes) add_note(linted, seen, note);
    if (one.error && jobs[i].may_fail) {
      add_note(linted, seen,
               fmt::format("{}: not checked by itself: {}", jobs[i].path, one.error->message));
      continue;
    }
    if (one.error) {
      linted.report.errors.push_back(std::move(*one.error));
      continue;
    }
    ++linted.report.files;
    linted.report.suppressed += one.checked.suppressed;
    if (arguments.print_ir)
      linted.ir += (jobs.size() > 1 ? "# " + jobs[i].path + "\n" : "") + one.ir;
    for (Finding& finding : one.checked.findings) {
      if (finding.rule_id == engine::kUnusedSuppression && silencing.contains(finding.location))
        continue;
      selection_of.emplace(finding.location.file, jobs[i].selection);
      linted.report.findings.push_back(std::move(finding));
    }
    linted.report.texts.merge(one.texts);
    if (one.notebook) linted.report.notebooks.emplace(one.notebook->path, std::move(*one.notebook));
  }
  engine::sort_and_merge(linted.report.findings);
  for (const Finding& finding : linted.report.findings)
    linted.fails |= selection_of[finding.location.file]->fails(finding.level);
  return linted;
}

// Findings that are in the baseline go; what the baseline still holds and nothing needs is said.
Status use_baseline(const Arguments& arguments, Linted& linted) {
  if (arguments.baseline.empty() || arguments.update_baseline) return Done{};
  const auto text = read_file(arguments.baseline);
  if (!text) return text.error();
  const auto baseline = engine::read_baseline(*text, arguments.baseline);
  if (!baseline) return baseline.error();
  const std::size_t before = linted.report.findings.size();
  const auto gone = engine::apply_baseline(*baseline, linted.report.texts, linted.report.findings);
  linted.report.known = static_cast<int>(before - linted.report.findings.size());
  if (!gone.empty())
    linted.notes.push_back(
        fmt::format("{}: {} finding{} of the baseline {} mended; --update-baseline forgets {}",
                    arguments.baseline, gone.size(), gone.size() == 1 ? "" : "s",
                    gone.size() == 1 ? "is" : "are", gone.size() == 1 ? "it" : "them"));
  return Done{};
}

}  // namespace

Result<Linted> lint(const Arguments& arguments) {
  Configurations configurations(arguments);
  // A baseline that cannot be read is known before anything slow starts.
  Linted nothing;
  if (const Status usable = use_baseline(arguments, nothing); !usable) return usable.error();
  const auto here = configurations.for_folder(".");
  if (!here) return here.error();
  const Sources sources = find_sources(
      arguments.paths, [&](const std::string& path) { return (*here)->excludes(path); });
  auto named = [&](const std::string& path) {
    return std::find(arguments.paths.begin(), arguments.paths.end(), path) != arguments.paths.end();
  };
  std::vector<Job> jobs;
  for (const std::string& path : sources.files) {
    const auto selection = configurations.for_file(path);
    if (!selection) return selection.error();
    if (path != "-" && (*selection)->excludes(path) && !named(path)) continue;
    jobs.push_back({path, *selection, is_header(path) && !named(path)});
  }
  const std::string build = build_name();  // a build without a name finds nothing of before
  cache::Cache kept(build.empty() ? "" : cache_folder(arguments), build);
  Linted linted = gather(arguments, jobs, run_all(arguments, jobs, kept));
  if (const std::string trouble = kept.trouble(); !trouble.empty()) linted.notes.push_back(trouble);
  linted.report.errors.insert(linted.report.errors.begin(), sources.errors.begin(),
                              sources.errors.end());
  bool fails = linted.fails;
  if (!arguments.baseline.empty() && !arguments.update_baseline) {
    if (const Status used = use_baseline(arguments, linted); !used) return used.error();
    fails = false;
    for (const Finding& finding : linted.report.findings) {
      const auto selection = configurations.for_file(finding.location.file);
      fails |= selection && (*selection)->fails(finding.level);
    }
  }
  linted.fails = fails;
  return linted;
}

Result<Linted> lint_text(const Arguments& arguments, const std::string& path, std::string text) {
  Configurations configurations(arguments);
  const auto selection = configurations.for_file(path);
  if (!selection) return selection.error();
  Linter linter(arguments);
  std::vector<FileResult> results;
  results.push_back(linter.run(path, std::move(text), **selection));
  if (results.front().error) return *results.front().error;
  return gather(arguments, {{path, *selection}}, std::move(results));
}

}  // namespace forerun::cli
