#include "analyzer/cli/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/nearest.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;

const std::vector<std::string> kFormats = {"text", "json", "sarif", "github", "gitlab", "junit"};
const std::vector<std::string> kLevels = {"note", "warning", "error", "never"};

struct Words {
  std::vector<std::string> select, ignore, severity, per_file_ignores, exclude, color;
  std::string fail_on, jobs, explain;
};

po::options_description describe(Arguments& into, Words& words) {
  auto text = [](std::string* where, const char* name) {
    return po::value(where)->value_name(name);
  };
  auto list = [](std::vector<std::string>* where, const char* name) {
    return po::value(where)->value_name(name)->composing();
  };
  po::options_description options;
  options.add_options()                                           //
      ("help", po::bool_switch(&into.help), "this")               //
      ("version", po::bool_switch(&into.version), "the version")  //
      ("select", list(&words.select, "RULES"),
       "only these: ids, groups, prefixes or globs, separated by commas")  //
      ("ignore", list(&words.ignore, "RULES"), "all but these")            //
      ("severity", list(&words.severity, "RULE=LEVEL"),
       "reports a rule as note, warning or error")  //
      ("per-file-ignores", list(&words.per_file_ignores, "PATTERN:RULES"),
       "rules not reported in files that match")  //
      ("exclude", list(&words.exclude, "PATTERN"),
       "leaves files out of folders that are walked")  //
      ("fail-on", text(&words.fail_on, "LEVEL"),
       "the level from which findings fail the run: note, warning, error, never (warning)")  //
      ("config", text(&into.configuration, "FILE"),
       "this configuration instead of the nearest forerun.toml or pyproject.toml")            //
      ("isolated", po::bool_switch(&into.isolated), "no configuration file")                  //
      ("baseline", text(&into.baseline, "FILE"), "findings recorded there are not reported")  //
      ("update-baseline", po::bool_switch(&into.update_baseline),
       "records the findings in --baseline FILE")                                               //
      ("build,p", text(&into.build_path, "FOLDER"), "where compile_commands.json is; also -p")  //
      ("extra-arg", list(&into.extra_args, "FLAG"), "added to the flags of every C++ file")     //
      ("torch", list(&into.torch, "FOLDER"),
       "where LibTorch's headers are, for C++ files without flags")  //
      ("format", text(&into.format, "FORMAT"),
       "text, json, sarif, github, gitlab or junit (text)")              //
      ("output", text(&into.output, "FILE"), "writes the report there")  //
      ("fix", po::bool_switch(&into.fix),
       "mends what can be mended with certainty, and reports the rest")  //
      ("diff", po::bool_switch(&into.diff),
       "shows what --fix would change, instead of findings; 1 when that is anything")  //
      ("lsp", po::bool_switch(&into.lsp),
       "serves an editor over the Language Server Protocol on standard input and output")  //
      ("statistics", po::bool_switch(&into.statistics),
       "counts by rule instead of the findings (text)")                                  //
      ("jobs,j", text(&words.jobs, "N"), "files checked at once (one a core); also -j")  //
      ("stdin-filename", text(&into.stdin_filename, "NAME"),
       "what standard input, given as -, is called")  //
      ("cache-dir", text(&into.cache_folder, "FOLDER"),
       "where findings and precompiled headers are kept ($FORERUN_CACHE_DIR, or forerun/ in the "
       "user's cache folder)")                                                                 //
      ("cache-folder", text(&into.cache_folder, "FOLDER"), "the same, as it was called once")  //
      ("no-cache", po::bool_switch(&into.no_cache), "keeps none and uses none")                //
      ("print-ir", po::bool_switch(&into.print_ir),
       "what the rules see of each file, instead of findings")                           //
      ("list-rules", po::bool_switch(&into.list_rules), "every rule with its level")     //
      ("explain", text(&words.explain, "RULE"), "the page about a rule; '' lists them")  //
      ("path", po::value(&into.paths), "");
  return options;
}

std::vector<std::string> split(const std::vector<std::string>& lists, char separator = ',') {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(separator, at), list.size());
      if (end > at) words.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  return words;
}

std::vector<engine::Settings::Word> placed(const std::vector<std::string>& lists) {
  std::vector<engine::Settings::Word> words;
  for (std::string& word : split(lists)) words.push_back({std::move(word), {}});
  return words;
}

Status check_word(const std::string& option, const std::string& value,
                  const std::vector<std::string>& accepted) {
  if (std::find(accepted.begin(), accepted.end(), value) != accepted.end()) return Done{};
  return error(fmt::format("{} '{}' is not known", option, value), suggest(value, accepted));
}

Status read_severity(const std::vector<std::string>& given, engine::Settings& into) {
  for (const std::string& word : split(given)) {
    const std::size_t equal = word.find('=');
    const auto level =
        equal == std::string::npos ? std::nullopt : engine::level_from_name(word.substr(equal + 1));
    if (!level)
      return error(fmt::format("--severity '{}' does not say which level", word),
                   "RULE=note, RULE=warning or RULE=error");
    into.severity.push_back({{word.substr(0, equal), {}}, *level});
  }
  return Done{};
}

Status read_per_file_ignores(const std::vector<std::string>& given, engine::Settings& into) {
  for (const std::string& word : given) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string::npos || colon + 1 == word.size())
      return error(fmt::format("--per-file-ignores '{}' names no rule", word), "PATTERN:RULE,RULE");
    into.per_file_ignores.push_back(
        {{word.substr(0, colon), {}}, placed({word.substr(colon + 1)})});
  }
  return Done{};
}

Status read_jobs(const std::string& text, int& jobs) {
  if (text.empty()) return Done{};
  const bool digits = text.size() < 5 && std::all_of(text.begin(), text.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
  jobs = digits ? std::stoi(text) : 0;
  if (jobs > 0) return Done{};
  return error(fmt::format("--jobs '{}' is not a number of jobs", text), "a whole number above 0");
}

Status understand(const Words& words, Arguments& into) {
  if (const Status done = check_word("--format", into.format, kFormats); !done) return done;
  if (!words.fail_on.empty()) {
    if (const Status done = check_word("--fail-on", words.fail_on, kLevels); !done) return done;
    into.settings.fail_on = engine::level_from_name(words.fail_on);
    into.settings.fail_never = words.fail_on == "never";
  }
  if (into.update_baseline && into.baseline.empty())
    return error("--update-baseline needs to know where", "--baseline FILE --update-baseline");
  if (into.fix && std::find(into.paths.begin(), into.paths.end(), "-") != into.paths.end())
    return error("--fix cannot change standard input", "a file, or --diff");
  into.settings.select = placed(words.select);
  into.settings.ignore = placed(words.ignore);
  into.settings.exclude = placed(words.exclude);
  if (const Status done = read_severity(words.severity, into.settings); !done) return done;
  if (const Status done = read_per_file_ignores(words.per_file_ignores, into.settings); !done)
    return done;
  if (const Status done = read_jobs(words.jobs, into.jobs); !done) return done;
  return engine::check_settings(into.settings);
}

}  // namespace

Result<Arguments> parse_arguments(const std::vector<std::string>& given) {
  Arguments arguments;
  Words words;
  const po::options_description options = describe(arguments, words);
  const auto parsed = parse(given, options, "path");
  if (!parsed) return parsed.error();
  arguments.flags = parsed->rest;
  if (parsed->values.count("explain") > 0) arguments.explain = words.explain;
  if (const Status understood = understand(words, arguments); !understood)
    return understood.error();
  return arguments;
}

std::string lint_help() {
  Arguments arguments;
  Words words;
  const Usage usage{"forerun lint",
                    "finds mistakes in PyTorch and LibTorch training code, without running it",
                    "PATH... [options] [-- FLAGS for C++]",
                    "0 clean, 1 findings at or above --fail-on, 2 something could not be checked"};
  return help_text(usage, describe(arguments, words));
}

}  // namespace forerun::cli
