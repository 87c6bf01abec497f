#include <algorithm>
#include <set>

#include "rules/host_waits.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::Device;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// torch.tensor() is the kind's own name and has no callee.
std::string factory_name(const ir::Op& op) { return op.callee.empty() ? "tensor" : op.callee; }

bool is_factory(const ir::Op& op) {
  static const std::set<std::string> names = {
      "zeros", "ones",  "full", "arange",  "eye",      "tensor",   "linspace",
      "empty", "randn", "rand", "randint", "randperm", "logspace", "tril_indices"};
  return op.kind == Kind::Tensor && !op.receiver && names.contains(factory_name(op));
}

bool has_device(const ir::Op& op) {
  return std::any_of(op.arguments.begin(), op.arguments.end(), [](const ir::Argument& argument) {
    return argument.name == "device" || argument.name == "pin_memory";
  });
}

bool is_long_lived(const Analysis& of, LoopId loop, const Values& values) {
  return std::none_of(values.begin(), values.end(),
                      [&](ValueId one) { return of.graph().loop_in(of.value(one).loop, loop); });
}

// Data that is new in every round has to be moved; sizes are only numbers.
bool made_of_data(const Analysis& of, LoopId loop, const flow::Node& node) {
  if (factory_name(*node.op) != "tensor") return false;
  for (const Values& argument : node.arguments) {
    for (const ValueId one : of.sources(argument)) {
      const flow::Value& value = of.value(one);
      const ir::Op* maker = of.maker(one);
      if (maker != nullptr && maker->kind == Kind::Pack) continue;
      if (!is_long_lived(of, loop, {one}) || value.form != flow::Value::Form::Result) return true;
    }
  }
  return false;
}

bool goes_to_device(const Analysis& of, const flow::Node& node) {
  if (!node.is(Kind::Move) || (node.op->callee != "to" && node.op->callee != "cuda")) return false;
  return std::any_of(node.results.begin(), node.results.end(),
                     [&](const Values& made) { return of.device(made) == Device::Device; });
}

// A training step, or one round of an evaluation over batches.
LoopId loop_of(const Analysis& of, NodeId id) {
  const LoopId step = of.step_loop(id);
  if (step != flow::kNone && of.innermost_loop(id) == step) return step;
  return flow::kNone;
}

// A tensor is made by the host and copied to the device in every step, though
// it could be made there.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.all(Kind::Move)) {
    const flow::Node& node = of.node(id);
    const LoopId loop = loop_of(of, id);
    if (loop == flow::kNone || !goes_to_device(of, node) || !of.every_round(loop, id)) continue;
    if (node.receiver.size() != 1) continue;
    const ValueId moved = node.receiver.front();
    const ir::Op* maker = of.maker(moved);
    if (maker == nullptr || !is_factory(*maker) || has_device(*maker)) continue;
    const flow::Node& made = of.node(of.value(moved).def);
    const bool made_outside = is_long_lived(of, loop, node.receiver);
    if (!made_outside && made_of_data(of, loop, made)) continue;
    found
        .at(id, made_outside ? "a tensor that never changes is copied to the device in "
                               "every step"
                             : factory_name(*maker) +
                                   "() makes a tensor on the host in every step, which is "
                                   "then copied to the device")
        .note(of.loop(loop).at, "the training loop")
        .help(made_outside
                  ? "move it once before the loop"
                  : "make it where it is needed: " + factory_name(*maker) + "(…, device=device)");
  }
}

}  // namespace

extern const Rule tensor_moved_in_loop;
constinit const Rule tensor_moved_in_loop{Level::Note, check,
                                          kinds(Kind::Backward, Kind::Step, Kind::ScalerStep)};

}  // namespace forerun::rules
