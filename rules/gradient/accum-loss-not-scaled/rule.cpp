#include <algorithm>
#include <set>

#include "rules/accumulation.h"
#include "rules/graph_use.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool divides(const ir::Op& op) {
  static const std::set<std::string> scaling = {"div",      "idiv", "truediv", "itruediv",
                                                "mul",      "imul", "div_",    "mul_",
                                                "floordiv", "pow",  "sum"};
  return (op.kind == Kind::Arith || op.kind == Kind::Tensor || op.kind == Kind::TensorInPlace) &&
         scaling.contains(op.callee);
}

bool sums(const Analysis& of, const flow::Node& loss) {
  if (flow::literal_argument(*loss.op, "reduction", 99) != "") {
    const std::string how = flow::literal_argument(*loss.op, "reduction", 99);
    return how != "\"mean\"";
  }
  for (const ir::Argument& argument : loss.op->arguments) {
    if (argument.name == "reduction" || argument.name == "size_average") return true;
  }
  for (const ValueId criterion : loss.receiver) {
    const ir::Op* maker = of.maker(criterion);
    if (maker == nullptr) continue;
    for (const ir::Argument& argument : maker->arguments) {
      const std::string value = ir::to_string(argument.value);
      if (argument.name == "reduction" && value != "\"mean\"") return true;
      if (argument.name == "size_average") return true;
    }
  }
  return false;
}

// A mean loss of torch that is run backward as it is: nothing between divides
// it.
NodeId bare_mean_loss(const Analysis& of, NodeId backward) {
  NodeId loss = flow::kNone;
  for (const ValueId one : attached_sources(of, of.node(backward).receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr) continue;
    const NodeId made = of.value(one).def;
    const bool unseen = maker->kind == Kind::Call && !of.node(made).expanded;
    if (unseen && of.attached(reads_of(of.node(made)))) return flow::kNone;  // it may have divided
    if (maker->kind == Kind::Loss) {
      if (sums(of, of.node(made))) return flow::kNone;
      loss = made;
    }
  }
  if (loss == flow::kNone) return loss;
  Values results;
  for (const Values& made : of.node(loss).results) flow::add(results, made);
  const Values behind = attached_sources(of, results);  // the model's own arithmetic
  for (const ValueId one : attached_sources(of, of.node(backward).receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && divides(*maker) && !flow::contains(behind, one)) return flow::kNone;
  }
  return loss;
}

// A loop of k draws (for _ in range(k)) is a window; one over tasks or models
// is a sum on purpose.
bool counts_micro_batches(const Analysis& of, const AccumulationWindow& window) {
  if (!window.nested()) return true;
  const flow::Loop& micro = of.loop(window.micro);
  if (micro.source == nullptr) return false;
  if (micro.source->form == ir::Loop::Form::Counted) return true;
  static const std::set<std::string> cutting = {"chunk", "split", "tensor_split", "array_split"};
  const Values parts = of.sources(of.node(micro.head).receiver);
  return std::any_of(parts.begin(), parts.end(), [&](ValueId one) {
    const ir::Op* maker = of.maker(one);
    return maker != nullptr && cutting.contains(maker->callee);
  });
}

bool scaled_elsewhere(const Analysis& of) {
  const bool hooked =
      std::any_of(of.graph().nodes.begin(), of.graph().nodes.end(), [](const flow::Node& node) {
        return node.op != nullptr && node.op->callee == "register_comm_hook";
      });
  return hooked || !of.all({Kind::GradRead, Kind::GradWrite}).empty();
}

// k micro-batches are added up and nothing divides by k: the step is k times as
// long.
void check(const Analysis& of, Findings& found) {
  if (scaled_elsewhere(of)) return;
  std::set<NodeId> reported;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    if (reported.contains(window.backward) || !counts_micro_batches(of, window)) continue;
    if (cleared_inside(of, window.micro, window.optimizer) && window.nested()) continue;
    const NodeId loss = bare_mean_loss(of, window.backward);
    if (loss == flow::kNone || !of.graph().in(window.micro, loss)) continue;
    reported.insert(window.backward);
    found
        .at(window.backward,
            "the gradients of several micro-batches are added, and their mean "
            "losses are not divided by the number of them")
        .note(window.step, "one step for several backward calls")
        .help("divide the loss by the number of micro-batches in a window");
  }
}

}  // namespace

extern const Rule accum_loss_not_scaled;
constinit const Rule accum_loss_not_scaled{Level::Warning, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
