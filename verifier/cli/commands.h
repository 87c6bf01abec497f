// The tool's three faces; each takes the arguments after its name and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace forerun::cli {

int verify(const std::vector<std::string>& arguments);
int run_check(const std::string& name, const std::string& format, const std::string& output);
int probe(const std::vector<std::string>& arguments);

// The whole command line, to start the program again on the emulated device.
const std::vector<std::string>& command_line();

}  // namespace forerun::cli
