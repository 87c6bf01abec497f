// A trace for Perfetto and chrome://tracing (the Trace Event Format, JSON): steps and their phases
// as slices; waits, copies, collectives and matrix products as instants; memory by category as
// counters. Times are the program's own on this machine, not a GPU's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "verifier/dryrun/call_sites.h"
#include "verifier/dryrun/log_reader.h"

namespace forerun::dryrun {

class Trace {
 public:
  // `most`: entries, of all processes; what is beyond is left out, kernel launches first, and said.
  explicit Trace(std::size_t most = 200000) : room_(most) {}

  // Processes share what room is left: `expected` more are to come, this one included.
  void add(const ProcessLog& log, const PathStyle& style, std::size_t expected);
  std::string text() const;  // the whole file

 private:
  std::string entries_;
  std::size_t room_;
  std::int64_t processes_ = 0, left_out_ = 0;
};

}  // namespace forerun::dryrun
