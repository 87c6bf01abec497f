// The tools beside `forerun`: where they are and how to become, or ask, one.
#pragma once

#include <string>
#include <vector>

namespace forerun::cli {

// One word that may follow `forerun`.
struct Command {
  std::string word;                  // "probe"
  std::string program;               // "forerun-verify": the tool it becomes
  std::vector<std::string> leading;  // arguments put before the user's: {"probe"}
  std::string summary;
};
const std::vector<Command>& commands();

// Whole path of `program` in the folder of this executable.
std::string beside(const std::string& program);
bool is_installed(const std::string& program);

// Replaces this process by the tool, as git does, so that its signals and its exit status are the
// user's. Returns kExitCannotRun, with a message on stderr, only when that could not be done.
int become(const std::string& program, const std::vector<std::string>& arguments);

struct Answer {
  int exit_code = -1;  // 128 + signal when killed by one
  std::string out;     // its standard output; standard error is dropped
};
// Runs the tool and collects what it prints, up to 16 MiB.
Answer ask(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace forerun::cli
