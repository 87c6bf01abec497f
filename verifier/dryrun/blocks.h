// The blocks PyTorch's allocator handed out, from birth to death, and what each was for.
//
// A block is what the log says it turned out to be, from its birth on: a parameter, a gradient,
// optimizer state, a workspace, a buffer. Of the others, in this order,
//   data             the host copied into it while it lived (in a C++ program, where nothing says
//                    which blocks are parameters, those too when they were made on the host);
//   temporaries      was allocated in backward or in the optimizer's phase and freed before the
//   step
//                    ended; or was allocated in forward and freed before backward next began;
//   optimizer_state  was allocated by an optimizer and outlived the step; in a program of which the
//                    log tells no parameters, after the step's last backward;
//   gradients        in such a program: was allocated in backward and outlived the step;
//   activations      was allocated in forward, alive when backward next began, and freed by the end
//                    of the step after; in a step that ended early, in forward: in a module's call,
//                    or in a later step than the first;
//   unknown          everything else: what a program keeps from step to step, what was allocated in
//                    setting up, and what was handed out while events were lost.
// So every block has exactly one category, and the categories add up to what was allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "verifier/dryrun/log_reader.h"
#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {

enum class Category : std::uint8_t {
  kParameters,
  kGradients,
  kOptimizerState,
  kBuffers,
  kWorkspaces,
  kData,
  kActivations,
  kTemporaries,
  kUnknown,
};
inline constexpr std::size_t kCategories = 9;
const char* to_string(Category category);  // as core/report.h names them: "optimizer_state"

struct Block {
  static constexpr std::size_t kAlive = SIZE_MAX;
  std::uint64_t address = 0;  // 0: stands for blocks that were handed out while events were lost
  std::int64_t bytes = 0;
  int device = 0;
  std::uint32_t site = 0;
  std::size_t born = 0, died = kAlive;  // events; it is alive from born up to, not including, died
  std::uint8_t told = EMU_CATEGORY_UNKNOWN;
  bool from_host = false;
  Category category = Category::kUnknown;
};

struct Blocks {
  std::vector<Block> all;     // in order of birth
  std::int64_t nonsense = 0;  // frees of what was not allocated, allocations of what was not freed
};

Blocks blocks_of(const ProcessLog& log, const Moments& moments, CallSites& sites);

}  // namespace forerun::dryrun
