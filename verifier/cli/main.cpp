// forerun-verify SPEC... | forerun-verify --check NAME | forerun-verify probe
#include "cli/options/options.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/emulated.h"

namespace {

std::vector<std::string> whole_command_line;

int run(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "probe")
    return forerun::cli::probe({arguments.begin() + 1, arguments.end()});
  return forerun::cli::verify(arguments);
}

}  // namespace

const std::vector<std::string>& forerun::cli::command_line() { return whole_command_line; }

int main(int argc, char** argv) {
  forerun::cli::settle_environment();
  whole_command_line.assign(argv, argv + argc);
  return forerun::cli::guarded_main(argc, argv, "forerun verify", &run);
}
