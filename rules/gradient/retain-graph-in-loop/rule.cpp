#include "rules/graph_use.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

bool in_training(const Analysis& of, NodeId backward) {
  if (of.innermost_loop(backward) != flow::kNone) return true;
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    if (of.path(
            backward, [&](NodeId at) { return at == step; }, [](NodeId) { return false; }))
      return true;
  }
  return false;
}

// The graph is kept after backward, each iteration, and nothing runs backward
// through it again.
void check(const Analysis& of, Findings& found) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    const ir::Op& op = *of.node(backward).op;
    if (flow::literal_argument(op, "retain_graph", 1) != "true") continue;
    if (flow::literal_argument(op, "create_graph", 2) == "true") continue;
    if (!in_training(of, backward) || graph_is_used_again(of, backward)) continue;
    found.at(backward, "the graph is kept after backward(), and nothing uses it again")
        .help(
            "leave retain_graph out: backward() then frees what the forward "
            "saved");
  }
}

}  // namespace

extern const Rule retain_graph_in_loop;
constinit const Rule retain_graph_in_loop{Level::Warning, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
