#include <algorithm>
#include <set>

#include "rules/accumulation.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

// The condition also holds for the last batch: it asks for the length, or has a
// second part.
bool knows_the_end(const Analysis& of, NodeId gate) {
  for (const ValueId one : of.sources(of.node(gate).receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr) continue;
    if (maker->kind == Kind::Arith && maker->callee == "or") return true;
    if (maker->kind == Kind::Query && maker->callee == "len") return true;
    if (maker->kind == Kind::Call && maker->callee == "len") return true;
  }
  return false;
}

bool steps_after(const Analysis& of, const AccumulationWindow& window, LoopId epochs) {
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    if (of.graph().in(epochs, step) && !of.graph().in(window.micro, step) &&
        flow::intersect(of.stepped(step), window.optimizer.self))
      return true;
  }
  return false;
}

bool drops_the_rest(const Analysis& of, LoopId micro) {
  const NodeId head = of.loop(micro).head;
  for (const ValueId one : of.sources(of.node(head).receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && flow::literal_argument(*maker, "drop_last", 99) == "true") return true;
    if (maker != nullptr && (maker->callee == "cycle" || maker->callee == "count")) return true;
  }
  return false;
}

// What the last round leaves over is thrown away when the next epoch starts by
// clearing.
NodeId cleared_between(const Analysis& of, const AccumulationWindow& window, LoopId epochs) {
  for (const NodeId clearing : of.all(Kind::ZeroGrad)) {
    if (of.graph().in(epochs, clearing) && !of.graph().in(window.micro, clearing) &&
        clears(of, clearing, window.optimizer))
      return clearing;
  }
  return flow::kNone;
}

// Batches that do not fill a window are run backward and never used by a step,
// epoch after epoch.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    if (window.nested() || reported.contains(window.gate)) continue;
    const std::vector<LoopId> around = of.loops_around(of.loop(window.micro).head);
    const auto epochs =
        std::find_if(around.begin(), around.end(), [&](LoopId one) { return one != window.micro; });
    if (epochs == around.end() || drops_the_rest(of, window.micro)) continue;
    if (knows_the_end(of, window.gate) || steps_after(of, window, *epochs)) continue;
    const bool endless = of.loop(window.micro).source != nullptr &&
                         of.loop(window.micro).source->form == ir::Loop::Form::While;
    if (endless) continue;
    const NodeId clearing = cleared_between(of, window, *epochs);
    if (clearing == flow::kNone) continue;
    reported.insert(window.gate);
    found.at(window.gate, "batches left over after the last full window are never stepped")
        .note(of.loop(window.micro).at, "the loop may end within a window")
        .note(clearing, "and their gradients are cleared here")
        .help("step after the loop, or at the last batch too");
  }
}

}  // namespace

extern const Rule accum_window_not_flushed;
constinit const Rule accum_window_not_flushed{Level::Warning, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
