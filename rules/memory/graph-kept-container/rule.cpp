#include <algorithm>

#include <fmt/format.h>

#include "rules/exact_text.h"
#include "rules/kept_graph.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// The innermost loop that the container outlives; none when it is made anew in each round.
LoopId outlived(const Analysis& of, NodeId id, const Values& container) {
  const LoopId loop = of.innermost_loop(id);
  if (loop == flow::kNone || container.empty()) return flow::kNone;
  const bool made_inside = std::any_of(container.begin(), container.end(), [&](ValueId one) {
    return of.graph().loop_in(of.value(one).loop, loop);
  });
  return made_inside ? flow::kNone : loop;
}

// deque(maxlen=n), or something is taken out again in the loop.
bool is_bounded(const Analysis& of, LoopId loop, const Values& container) {
  for (const ValueId one : container) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || maker->callee != "deque") continue;
    const bool limited = std::any_of(maker->arguments.begin(), maker->arguments.end(),
                                     [](const ir::Argument& a) { return a.name == "maxlen"; });
    if (limited || maker->arguments.size() >= 2) return true;
  }
  for (const NodeId removal : of.all(Kind::Remove)) {
    if (of.graph().in(loop, removal) && flow::intersect(of.node(removal).receiver, container))
      return true;
  }
  return false;
}

// A key that is the same every round, or comes round again (i % n), overwrites.
bool key_grows(const Analysis& of, const flow::Node& store, LoopId loop) {
  const Values from = of.sources(store.arguments.front());
  bool varies = false;
  for (const ValueId one : from) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::Arith && maker->callee == "mod") return false;
    varies |= of.graph().loop_in(of.value(one).loop, loop);
  }
  return varies;
}

void report(const Analysis& of, Findings& found, NodeId id, LoopId loop, Level level,
            const std::string& what, const std::string& where) {
  const NodeId seen = of.seen_from(loop, id);
  const char* how_much =
      level == Level::Error ? "with its saved activations" : "though backward freed what it saved";
  if (seen == id) {
    auto draft = found.at(
        seen,
        fmt::format("{} is kept in {} with its graph, and every iteration's graph stays alive, {}",
                    what, where, how_much));
    draft.note(of.loop(loop).at, "each iteration of this loop keeps one graph")
        .help("keep a number or a tensor without history: .item() or .detach()")
        .level(level);
    if (const auto place = behind_added(*of.node(id).op))
      draft.fix("keep it without its graph", *place, ".detach()");
    return;
  }
  found
      .at(seen, fmt::format("a tensor is handed over with its graph and kept, and every "
                            "iteration's graph stays alive, {}",
                            how_much))
      .note(id, fmt::format("{} is kept in {} here", what, where))
      .help("hand over a number or a tensor without history: .item() or .detach()")
      .level(level);
}

// A container that outlives the loop's rounds takes in a tensor that still has its graph.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.all({Kind::Append, Kind::Store})) {
    const flow::Node& node = of.node(id);
    const LoopId loop = outlived(of, id, node.receiver);
    if (loop == flow::kNone || node.grad == flow::Grad::Off || is_bounded(of, loop, node.receiver))
      continue;
    const bool is_store = node.is(Kind::Store);
    if (is_store && (node.arguments.size() != 2 || !key_grows(of, node, loop))) continue;
    for (std::size_t i = is_store ? 1 : 0; i < node.arguments.size(); ++i) {
      const auto level = kept(of, node.arguments[i], node.receiver, id, loop);
      if (!level) continue;
      const std::string where = described(*node.op->receiver);
      report(of, found, id, loop, *level, described(node.op->arguments[i].value),
             where == "a tensor" ? "a container" : where);
      break;
    }
  }
  for (const Accumulation& growing : accumulations(of)) {
    if (!growing.concatenates) continue;
    const auto level = kept(of, growing.stored, growing.collector, growing.node, growing.loop);
    if (level)
      report(of, found, growing.node, growing.loop, *level, "a tensor",
             described(of.node(growing.node).op->results.front()));
  }
}

std::uint32_t trigger(const ir::Op& op) {
  return op.kind == Kind::Append || op.kind == Kind::Store || op.kind == Kind::Arith ||
         op.kind == Kind::Tensor || op.kind == Kind::TensorInPlace;
}

}  // namespace

extern const Rule graph_kept_container;
constinit const Rule graph_kept_container{Level::Error, check,   kKeepsGraphs,
                                          false,        nullptr, {trigger}};

}  // namespace forerun::rules
