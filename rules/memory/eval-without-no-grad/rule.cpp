#include <algorithm>
#include <set>

#include "rules/declarations.h"
#include "rules/graph_use.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// Somebody wants the graph: backward or a gradient of what was computed from
// it, here or in code whose name says so.
bool wants_graph(const Analysis& of, const Values& outputs) {
  const Values made = of.descendants(outputs);
  if (std::any_of(made.begin(), made.end(), [&](ValueId one) { return of.backwarded(one); }))
    return true;
  for (const NodeId use : of.uses(made)) {
    const flow::Node& node = of.node(use);
    if (node.is(Kind::Backward) || node.is(Kind::AutogradGrad)) return true;
    if (node.is(Kind::RequiresGrad)) return true;
    if (!node.is(Kind::Call) || node.expanded) continue;
    for (const char* word : {"backward", "attack", "grad", "train", "step", "optim", "explain"}) {
      if (node.op->callee.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

// The inputs ask for a gradient: an attack, a saliency map.
bool differentiates_inputs(const Analysis& of, NodeId forward) {
  for (const Values& argument : of.node(forward).arguments) {
    for (const ValueId one : of.sources(argument)) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr) continue;
      if (maker->kind == Kind::RequiresGrad) return true;
      if (flow::literal_argument(*maker, "requires_grad", 99) == "true") return true;
    }
  }
  return false;
}

// What is also trained here is frozen for a while or in part only.
bool is_trained(const Analysis& of, const Values& modules) {
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  return std::any_of(steps.begin(), steps.end(), [&](NodeId step) {
    const Analysis::Parameters stepped = optimizer_of(of, step).parameters;
    return stepped.known && of.overlap(stepped, {modules, true});
  });
}

bool is_frozen(const Analysis& of, const Values& modules) {
  if (is_trained(of, modules)) return false;
  for (const NodeId id : of.all(Kind::RequiresGrad)) {
    if (flow::literal_argument(*of.node(id).op, "requires_grad", 0) == "true") continue;
    const Analysis::Parameters frozen = of.parameters_of(of.node(id).receiver);
    if (!frozen.known || of.overlap(frozen, {modules, true})) return true;
  }
  return false;
}

// The module itself was put in evaluation mode in this entry point, before the
// forward.
bool evaluates(const Analysis& of, NodeId forward) {
  const Values& modules = of.node(forward).receiver;
  if (modules.empty() || !of.in_evaluation(forward)) return false;
  bool seen = false;
  for (const NodeId mode : of.all({Kind::EvalMode, Kind::TrainMode}))
    seen |= flow::intersect(of.node(mode).receiver, modules) && mode < forward;
  return seen;
}

bool is_inside_forward(const Analysis& of, NodeId node) {
  const auto& frames = of.graph().frames;
  for (flow::FrameId frame = of.node(node).frame; frame != flow::kNone;
       frame = frames[static_cast<std::size_t>(frame)].caller) {
    const ir::Function* function = frames[static_cast<std::size_t>(frame)].function;
    if (function != nullptr && function->name.ends_with(".forward")) return true;
  }
  return false;
}

// One forward of a test costs nothing that anybody would miss.
bool is_test(const Analysis& of) {
  const std::string& path = of.graph().program->path;
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.starts_with("test_") || path.find("tests/") != std::string::npos;
}

// One forward of a made-up tensor, to see the shapes.
bool is_tried_out(const Analysis& of, NodeId forward) {
  static const std::set<std::string> made_up = {"zeros",   "ones",   "rand",   "randn",
                                                "randint", "full",   "normal", "eye",
                                                "arange",  "tensor", "empty",  "linspace"};
  bool any = false;
  for (const Values& argument : of.node(forward).arguments) {
    for (const ValueId one : of.sources(argument)) {
      if (of.value(one).form == flow::Value::Form::Element) return false;
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr) continue;
      const ir::Role role = of.value(one).role;
      const bool plain = role == ir::Role::Number || role == ir::Role::Other;  // which device it is
      if (maker->kind == Kind::Load || (maker->kind == Kind::Call && !plain)) return false;
      any |= maker->kind == Kind::Tensor && made_up.contains(maker->callee);
    }
  }
  return any;
}

// Outputs with their graphs are collected round after round.
bool keeps(const Analysis& of, const Values& outputs) {
  const Values made = of.descendants(outputs);
  for (const NodeId use : of.uses(made)) {
    const flow::Node& node = of.node(use);
    if (!node.is(Kind::Append) || of.innermost_loop(use) == flow::kNone) continue;
    for (const Values& argument : node.arguments) {
      if (of.attached(argument) && flow::intersect(argument, made)) return true;
    }
  }
  return false;
}

// `for net in nets`: there are as many outputs as models.
bool goes_through_models(const Analysis& of, const Values& modules) {
  return std::any_of(modules.begin(), modules.end(), [&](ValueId one) {
    return of.value(one).form == flow::Value::Form::Element || of.value(one).step.starts_with("[");
  });
}

// A model in evaluation mode runs with gradients on, and nobody runs backward:
// every forward saves its activations for nothing.
void check(const Analysis& of, Findings& found) {
  std::set<std::pair<LoopId, flow::FrameId>> reported;
  for (const NodeId forward : of.all(Kind::Forward)) {
    const flow::Node& node = of.node(forward);
    if (node.grad != flow::Grad::On || is_inside_forward(of, forward)) continue;
    const LoopId loop = of.innermost_loop(forward);
    const Values outputs = results_of(node);
    if (!of.attached(outputs) || !evaluates(of, forward)) continue;
    const bool returned = flow::intersect(of.descendants(outputs), of.graph().returned);
    if (loop == flow::kNone && (returned || is_test(of) || is_tried_out(of, forward))) continue;
    if (wants_graph(of, outputs) || differentiates_inputs(of, forward)) continue;
    if (is_frozen(of, node.receiver)) continue;
    if (!reported.insert({loop, node.frame}).second) continue;
    const bool kept =
        loop != flow::kNone && !goes_through_models(of, node.receiver) && keeps(of, outputs);
    found
        .at(forward, kept ? "evaluation keeps the outputs of every round with their "
                            "graphs"
                          : "evaluation records a graph that nothing runs backward")
        .help("run it under torch.no_grad() or torch.inference_mode()")
        .level(rules::is_test(*of.graph().program) ? Level::Note
               : kept                              ? Level::Error
                                                   : Level::Warning);
  }
}

std::uint32_t trigger(const ir::Op& op) { return op.kind == Kind::Forward; }

}  // namespace

extern const Rule eval_without_no_grad;
constinit const Rule eval_without_no_grad{Level::Warning, check,   kinds(Kind::EvalMode),
                                          true,           nullptr, {trigger}};

}  // namespace forerun::rules
