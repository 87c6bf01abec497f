#include "rules/modes.h"

#include <algorithm>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool wraps(const ir::Op& op) {
  return mentions(op.callee, {"parallel", "compile", "script", "trace", "fullysharded", "ema",
                              "averagedmodel", "prepare"}) ||
         op.kind == Kind::Move;
}

void add_inner(const Analysis& of, ValueId id, bool only_wrappers, Values& found) {
  if (!flow::add(found, id) || found.size() > 200) return;
  const ir::Op* op = of.maker(id);
  if (op == nullptr) {
    for (const ValueId inside : of.value(id).holds) {
      if (!only_wrappers && of.value(id).type != nullptr && of.is_module(inside))
        add_inner(of, inside, false, found);
    }
    return;
  }
  const bool holds =
      op->kind == Kind::Construct || op->kind == Kind::Call || op->kind == Kind::Move;
  if (!holds || (only_wrappers && !wraps(*op))) return;
  for (const ValueId input : of.value(id).inputs) {
    if (of.is_module(input) || of.value(input).role == ir::Role::Container)
      add_inner(of, input, only_wrappers, found);
  }
  if (only_wrappers) return;
  for (const Values* kept : {&of.value(id).contents, &of.value(id).holds}) {
    for (const ValueId inside : *kept) {
      if (of.is_module(inside)) add_inner(of, inside, false, found);
    }
  }
}

// A path from a part to what it is part of: members, elements, what iterating a whole gives.
void add_owners(const Analysis& of, ValueId id, Values& found) {
  if (!flow::add(found, id) || found.size() > 200) return;
  const flow::Value& one = of.value(id);
  if (one.base != flow::kNone) add_owners(of, one.base, found);
}

bool is_mode_layer(const std::string& callee) {
  return callee.find("Dropout") != std::string::npos ||
         callee.find("BatchNorm") != std::string::npos;
}

bool gives_known_models(const std::string& callee) {
  return mentions(callee, {"resnet", "resnext", "densenet", "mobilenet", "efficientnet", "vgg",
                           "inception", "googlenet", "shufflenet", "mnasnet", "regnet", "alexnet",
                           "from_pretrained", "create_model"});
}

}  // namespace

bool is_within(const Analysis& of, const Values& parts, const Values& wholes) {
  Values inner, owners, inside;
  for (const ValueId one : parts) add_inner(of, one, true, inner);
  for (const ValueId one : inner) add_owners(of, one, owners);
  for (const ValueId one : wholes) add_inner(of, one, false, inside);
  return flow::intersect(owners, inside);
}

bool sets_training(const Analysis& of, NodeId node, const Values& modules) {
  return of.node(node).is(Kind::TrainMode) && is_within(of, modules, of.node(node).receiver);
}

bool sets_evaluation(const Analysis& of, NodeId node, const Values& modules) {
  return of.node(node).is(Kind::EvalMode) && is_within(of, modules, of.node(node).receiver);
}

bool is_inside_a_forward(const Analysis& of, NodeId node) {
  const flow::Graph& graph = of.graph();
  for (flow::FrameId at = of.node(node).frame; at != flow::kNone;
       at = graph.frames[static_cast<std::size_t>(at)].caller) {
    const NodeId call = graph.frames[static_cast<std::size_t>(at)].call;
    if (call != flow::kNone && of.node(call).is(Kind::Forward)) return true;
  }
  return false;
}

bool is_training_forward(const Analysis& of, NodeId forward) {
  const flow::Node& node = of.node(forward);
  if (!node.is(Kind::Forward) || node.grad == flow::Grad::Off) return false;
  for (const Values& made : node.results) {
    for (const ValueId one : made) {
      if (of.backwarded(one)) return true;
    }
  }
  return false;
}

ModeMatters mode_matters(const ir::Program& program) {
  bool matters = false, foreign = false, own = !model_classes(program).empty();
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    const bool makes = op.kind == Kind::Construct || op.kind == Kind::Call;
    if (makes && (is_mode_layer(op.callee) || gives_known_models(op.callee))) matters = true;
    if (op.kind == Kind::Load && op.result_role == ir::Role::Module) matters = true;
    if (op.kind == Kind::Tensor && op.callee.find("dropout") != std::string::npos) matters = true;
    if (op.kind == Kind::Call && op.result_role == ir::Role::Module &&
        class_named(program, op.callee) == nullptr)
      foreign = true;
    own |= op.kind == Kind::Construct && makes_stateful_module(program, op);
    for (const ir::Argument& one : op.arguments) {
      if (ir::to_string(one.value) == "self.training") matters = true;
      if (one.name == "dropout" && op.kind == Kind::Construct) matters = true;
    }
  });
  if (matters) return ModeMatters::Yes;
  return own && !foreign ? ModeMatters::No : ModeMatters::Maybe;
}

bool has_batch_norm(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    const bool makes = op.kind == Kind::Construct || op.kind == Kind::Call;
    found |=
        makes &&
        (op.callee.find("BatchNorm") != std::string::npos ||
         mentions(op.callee, {"resnet", "resnext", "densenet", "mobilenet", "efficientnet", "_bn",
                              "inception", "googlenet", "shufflenet", "mnasnet", "regnet"}));
  });
  return found;
}

bool is_evaluation_code(const Analysis& of, NodeId node) {
  auto evaluates = [](const std::string& name) {
    return mentions(name, {"val", "test", "eval", "dev_", "infer", "predict"}) &&
           !mentions(name, {"train", "interval", "value", "latest"});
  };
  const flow::Graph& graph = of.graph();
  for (flow::FrameId at = of.node(node).frame; at != flow::kNone;
       at = graph.frames[static_cast<std::size_t>(at)].caller) {
    const ir::Function* function = graph.frames[static_cast<std::size_t>(at)].function;
    if (function == nullptr) continue;
    if (evaluates(function->name.substr(function->name.rfind('.') + 1))) return true;
  }
  for (const flow::LoopId loop : of.loops_around(node)) {
    const ir::Loop* source = of.loop(loop).source;
    if (source != nullptr && source->iterable && evaluates(ir::to_string(*source->iterable)))
      return true;
  }
  return false;
}

}  // namespace forerun::rules
