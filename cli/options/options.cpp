#include "cli/options/options.h"

#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "core/files.h"
#include "core/nearest.h"

namespace forerun::cli {
namespace po = boost::program_options;

Result<Parsed> parse(const std::vector<std::string>& arguments,
                     const po::options_description& options, const std::string& positional) {
  Parsed parsed;
  std::vector<std::string> own = arguments;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] != "--") continue;
    parsed.rest.assign(own.begin() + static_cast<std::ptrdiff_t>(i) + 1, own.end());
    own.resize(i);
    break;
  }
  po::positional_options_description places;
  if (!positional.empty()) places.add(positional.c_str(), -1);
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(own)
                  .options(options)
                  .positional(places)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              parsed.values);
    po::notify(parsed.values);
  } catch (const po::unknown_option& problem) {
    std::vector<std::string> known;
    for (const auto& option : options.options()) known.push_back("--" + option->long_name());
    const auto close = nearest(problem.get_option_name(), known);
    return error(fmt::format("unknown option '{}'", problem.get_option_name()),
                 close ? fmt::format("did you mean '{}'? --help lists them all", *close)
                       : "--help lists them all");
  } catch (const po::error& problem) {
    return error(problem.what(), "--help lists the options");
  }
  return parsed;
}

std::string help_text(const Usage& usage, const po::options_description& options) {
  std::string text = fmt::format("{}: {}\n\nusage: {} {}\n\n", usage.program, usage.summary,
                                 usage.program, usage.synopsis);
  for (const auto& option : options.options()) {
    if (option->description().empty()) continue;
    const std::string argument = option->format_parameter();
    std::string left = "  --" + option->long_name() + (argument.empty() ? "" : " " + argument);
    if (left.size() > 30) {
      text += left + "\n";
      left.clear();
    }
    text += fmt::format("{:<32}{}\n", left, option->description());
  }
  return text + fmt::format("\nexit status: {}\n", usage.exits);
}

int complain(const std::string& program, const Error& problem) {
  const std::string text = to_string(problem);
  if (problem.where.file.empty()) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), text.c_str());
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  return kExitCannotRun;
}

int guarded_main(int argc, char** argv, const std::string& program,
                 int (*run)(const std::vector<std::string>&)) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    return complain(program, error("out of memory"));
  } catch (const std::exception& problem) {
    return complain(program, error(fmt::format("internal error: {}", problem.what()),
                                   "please report it with the input that caused it"));
  }
}

int emit(const std::string& program, const std::string& text, const std::string& output_path,
         int code) {
  if (!output_path.empty() && output_path != "-") {
    const Status written = write_file(output_path, text);
    return written ? code : complain(program, written.error());
  }
  const bool ok =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // A reader that went away (`| head`) is not an error worth a message.
  if (ok || errno == EPIPE) return code;
  return complain(program, error("cannot write to standard output"));
}

}  // namespace forerun::cli
