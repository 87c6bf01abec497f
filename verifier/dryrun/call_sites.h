// Call sites as people read them: the line of the program that did something, and the library's
// line below it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verifier/dryrun/log_reader.h"
#include "verifier/dryrun/native_symbols.h"

namespace forerun::dryrun {

// How a file is written in a report: relative to the working directory, torch/... for what is in a
// site-packages folder, the whole path only when the command line names it or its folder, else the
// last two parts.
struct PathStyle {
  std::string working_directory;
  std::vector<std::string> command;
};
std::string shown_path(const std::string& path, const PathStyle& style);

struct Place {
  // The innermost frame that is neither PyTorch's nor the standard library's.
  std::string file;  // as shown; "" when no frame is known
  int line = 0;
  std::string function;
  std::string below;  // the frame it calls into, "torch/_tensor.py:38 in backward"; "" when none
  std::string called_from;  // when `file` is of an installed package: the program's own frame
};
// "train.py:31 in main"; "a place that is not known".
std::string to_string(const Place& place);

// What the innermost telling frame of a site says of the phase of a step.
enum class SitePhase { kNone, kModuleCall, kBackward, kOptimizer };

class CallSites {
 public:
  // `log` must outlive this.
  CallSites(const ProcessLog& log, PathStyle style);

  // Sites of one line share a place. Place 0 is the unknown one.
  int place_of(std::uint32_t site);
  const Place& place(int index) const { return places_[static_cast<std::size_t>(index)]; }
  int places() const { return static_cast<int>(places_.size()); }
  SitePhase phase_of(std::uint32_t site);

 private:
  enum class Owner { kProgram, kPackage, kFramework };
  struct Frame {
    std::string file, function;
    int line = 0;
    Owner owner = Owner::kFramework;
  };
  const Frame& frame(std::uint32_t site);
  Place made(std::uint32_t site);

  const ProcessLog& log_;
  PathStyle style_;
  NativeSymbols symbols_;
  std::vector<int> place_of_site_;  // -1: not asked for yet
  std::vector<int> phase_of_site_;
  std::map<std::uint32_t, Frame> frames_;
  std::vector<Place> places_{Place{}};
  std::map<std::string, int> by_text_;
};

}  // namespace forerun::dryrun
