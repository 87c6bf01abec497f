// Command lines the way every forerun tool reads them: Boost.Program_options, long options, one
// place a fact.
#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "core/result.h"

namespace forerun::cli {

inline constexpr int kExitClean = 0;
inline constexpr int kExitFound = 1;      // findings, does not fit, outside tolerance
inline constexpr int kExitCannotRun = 2;  // bad input, bad usage, internal error

struct Usage {
  std::string program;   // "forerun lint"
  std::string summary;   // one sentence
  std::string synopsis;  // "PATH... [options]"
  std::string exits;     // "0 clean, 1 findings ..., 2 could not run"
};

// Parses argv after the program name. Options may stand anywhere; everything else is positional,
// gathered under `positional` (empty: none allowed). Everything after a lone "--" is returned in
// `rest`. Unknown options are an error that names the nearest known one.
struct Parsed {
  boost::program_options::variables_map values;
  std::vector<std::string> rest;
};
Result<Parsed> parse(const std::vector<std::string>& arguments,
                     const boost::program_options::options_description& options,
                     const std::string& positional);

std::string help_text(const Usage& usage,
                      const boost::program_options::options_description& options);

// What a tool's main() hands its work to: catches everything that escapes, prints "program: error:
// ..." on stderr, and returns kExitCannotRun. SIGPIPE is ignored so that `forerun ... | head` ends
// quietly.
int guarded_main(int argc, char** argv, const std::string& program,
                 int (*run)(const std::vector<std::string>& arguments));

// Text to stdout, or to --output FILE (never half-written). Returns the exit code to use: `code`,
// or kExitCannotRun when the text could not be written.
int emit(const std::string& program, const std::string& text, const std::string& output_path,
         int code);

// Prints an error the way every tool does and returns kExitCannotRun.
int complain(const std::string& program, const Error& problem);

}  // namespace forerun::cli
