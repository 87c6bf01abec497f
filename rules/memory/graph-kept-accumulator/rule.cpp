#include <fmt/format.h>

#include "rules/exact_text.h"
#include "rules/kept_graph.h"

namespace forerun::rules {
namespace {

// The name of what is added, when one operand is it.
std::string added(const flow::Analysis& of, const Accumulation& sum) {
  const flow::Node& node = of.node(sum.node);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    if (flow::intersect(node.arguments[i], sum.stored))
      return described(node.op->arguments[i].value);
  }
  return "a tensor";
}

std::string collector(const flow::Node& node) {
  if (node.is(ir::Kind::TensorInPlace)) return described(*node.op->receiver);
  return node.op->results.empty() ? "a running value" : described(node.op->results.front());
}

// What is called an accuracy is counted, and a count has no graph.
bool counts_hits(const std::string& name) {
  return name.ends_with("acc'") || name.find("accuracy") != std::string::npos ||
         name.find("correct") != std::string::npos;
}

// A sum over the rounds of a loop takes in a tensor that still has its graph: the sum keeps the
// graph of every round.
void check(const flow::Analysis& of, Findings& found) {
  for (const Accumulation& sum : accumulations(of)) {
    if (sum.concatenates || counts_hits(added(of, sum))) continue;
    const auto level = kept(of, sum.stored, sum.collector, sum.node, sum.loop);
    if (!level) continue;
    const flow::NodeId seen = of.seen_from(sum.loop, sum.node);
    const std::string grows = collector(of.node(sum.node));
    const char* how_much = *level == Level::Error ? "with its saved activations"
                                                  : "though backward freed what it saved";
    if (seen == sum.node) {
      auto draft = found.at(
          seen, fmt::format(
                    "{} is added to {} with its graph, and every iteration's graph stays alive, {}",
                    added(of, sum), grows == "'a tensor'" ? "a running value" : grows, how_much));
      draft.note(of.loop(sum.loop).at, "each iteration of this loop adds one graph")
          .help("add a number or a tensor without history: .item() or .detach()")
          .level(*level);
      if (const auto place = behind_added(*of.node(sum.node).op))
        draft.fix("add it without its graph", *place, ".detach()");
      continue;
    }
    found
        .at(seen, fmt::format("a tensor is handed over with its graph and added up, and every "
                              "iteration's graph stays alive, {}",
                              how_much))
        .note(sum.node, fmt::format("{} is added to {} here", added(of, sum), grows))
        .help("hand over a number or a tensor without history: .item() or .detach()")
        .level(*level);
  }
}

std::uint32_t trigger(const ir::Op& op) {
  return op.kind == ir::Kind::Arith || op.kind == ir::Kind::Tensor ||
         op.kind == ir::Kind::TensorInPlace;
}

}  // namespace

extern const Rule graph_kept_accumulator;
constinit const Rule graph_kept_accumulator{Level::Error, check,   kKeepsGraphs,
                                            false,        nullptr, {trigger}};

}  // namespace forerun::rules
