#include "rules/exact_text.h"
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

// Takes the argument out where it is the only one.
void offer(Findings::Draft& draft, const ir::Op& op, bool cpp) {
  const std::string was = cpp ? "({}, /*retain_graph=*/true)" : "(retain_graph=True)";
  if (op.arguments.size() != (cpp ? 2u : 1u)) return;
  if (const auto place = tail_of(op, was.size()))
    draft.fix("let backward() free the graph", *place, "()", was);
}

// The graph is kept after backward, each iteration, and nothing runs backward
// through it again.
void check(const Analysis& of, Findings& found) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    const ir::Op& op = *of.node(backward).op;
    if (flow::literal_argument(op, "retain_graph", 1) != "true") continue;
    if (flow::literal_argument(op, "create_graph", 2) == "true") continue;
    if (!in_training(of, backward) || graph_is_used_again(of, backward)) continue;
    auto draft =
        found.at(backward, "the graph is kept after backward(), and nothing uses it again");
    draft.help(
        "leave retain_graph out: backward() then frees what the forward "
        "saved");
    offer(draft, op, of.graph().program->language == ir::Language::Cpp);
  }
}

}  // namespace

extern const Rule retain_graph_in_loop;
constinit const Rule retain_graph_in_loop{Level::Warning, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
