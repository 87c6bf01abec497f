// forerun: finds the tools beside itself and becomes the one that was asked for.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/doctor.h"
#include "cli/explain.h"
#include "cli/options/options.h"
#include "cli/tools.h"
#include "core/nearest.h"
#include "core/version.h"

namespace forerun::cli {
namespace {

using Arguments = std::vector<std::string>;

const Command* find_command(const std::string& word) {
  for (const Command& command : commands()) {
    if (command.word == word) return &command;
  }
  return nullptr;
}

std::string help() {
  std::string text =
      "forerun: checks training code and predicts its memory and time, before the run\n\n"
      "usage: forerun COMMAND [ARGUMENTS...]\n\n";
  for (const Command& command : commands())
    text += fmt::format("  {:<10}{}\n", command.word, command.summary);
  text += fmt::format("  {:<10}{}\n", "explain", "the page about a rule, a layer or a GPU");
  text += fmt::format("  {:<10}{}\n", "doctor",
                      "what this build found, and what each missing part needs");
  text +=
      fmt::format("  {:<10}{}\n", "help", "this, or the help of one command: forerun help lint");
  return text +
         "\n  --help                        this\n"
         "  --version                     the version\n"
         "\nexit status: that of the command; 2 when there is no such command\n";
}

int unknown_command(const std::string& word) {
  Arguments known{"explain", "doctor", "help"};
  for (const Command& command : commands()) known.push_back(command.word);
  return complain("forerun",
                  error(fmt::format("'{}' is not a forerun command", word), suggest(word, known)));
}

int run_command(const Command& command, const Arguments& arguments) {
  Arguments all = command.leading;
  all.insert(all.end(), arguments.begin(), arguments.end());
  return become(command.program, all);
}

int run_help(const Arguments& arguments) {
  if (arguments.empty()) return emit("forerun", help(), "", kExitClean);
  if (arguments[0] == "explain") return explain({"--help"});
  if (arguments[0] == "doctor") return doctor({"--help"});
  if (arguments[0] == "help") return emit("forerun", help(), "", kExitClean);
  const Command* command = find_command(arguments[0]);
  return command != nullptr ? run_command(*command, {"--help"}) : unknown_command(arguments[0]);
}

int run(const Arguments& arguments) {
  if (arguments.empty()) return complain("forerun", error("no command", "forerun help lists them"));
  const std::string& word = arguments[0];
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (const Command* command = find_command(word)) return run_command(*command, rest);
  if (word == "explain") return explain(rest);
  if (word == "doctor") return doctor(rest);
  if (word == "help" || word == "--help" || word == "-h") return run_help(rest);
  if (word == "--version")
    return emit("forerun", fmt::format("forerun {}\n", kVersion), "", kExitClean);
  return unknown_command(word);
}

}  // namespace
}  // namespace forerun::cli

int main(int argc, char** argv) {
  return forerun::cli::guarded_main(argc, argv, "forerun", forerun::cli::run);
}
