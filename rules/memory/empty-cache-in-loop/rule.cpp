#include "rules/rule.h"

#include <set>

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using ir::Kind;

// The allocator gives its memory back after every step and asks the driver for
// it again in the next: both wait for the device.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId id : of.all(Kind::EmptyCache)) {
    const LoopId loop = of.step_loop(id);
    if (loop == flow::kNone || !of.every_round(loop, id)) continue;
    if (!reported.insert(id).second) continue;
    found.at(id, "the allocator's cache is emptied in every training step")
        .note(of.loop(loop).at, "the training loop")
        .help(
            "leave it out: the allocator reuses its memory; to split less, set "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
  }
}

}  // namespace

extern const Rule empty_cache_in_loop;
constinit const Rule empty_cache_in_loop{Level::Warning, check, kinds(Kind::EmptyCache)};

}  // namespace forerun::rules
