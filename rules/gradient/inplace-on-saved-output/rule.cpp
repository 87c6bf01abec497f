#include <algorithm>
#include <set>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

using Words = std::set<std::string>;

// Operations whose backward is computed from their result (derivatives.yaml of
// PyTorch 2.11: the formulas that name `result`).
const Words kSavesResult = {"sigmoid",  "tanh",  "exp",         "relu",    "softmax",
                            "sqrt",     "rsqrt", "log_softmax", "relu6",   "reciprocal",
                            "expm1",    "tan",   "logsumexp",   "cumprod", "selu",
                            "sigmoid_", "tanh_", "exp_",        "relu_",   "sqrt_"};
const Words kSavesResultModules = {"Sigmoid", "Tanh", "ReLU", "Softmax", "LogSoftmax", "SELU"};

bool saves_result(const Analysis& of, ValueId value) {
  const ir::Op* maker = of.maker(value);
  if (maker == nullptr) return false;
  const flow::Node& made = of.node(of.value(value).def);
  if (made.grad != flow::Grad::On || !of.attached(reads_of(made))) return false;
  if (maker->kind == Kind::Tensor || maker->kind == Kind::TensorInPlace)
    return kSavesResult.contains(maker->callee);
  if (maker->kind != Kind::Forward || made.receiver.empty()) return false;
  return std::all_of(made.receiver.begin(), made.receiver.end(), [&](ValueId module) {
    const ir::Op* construct = of.maker(module);
    return construct != nullptr && kSavesResultModules.contains(construct->callee);
  });
}

// What the operation changes in place, where it does.
enum class Changes { Nothing, Receiver, FirstArgument };
Changes changes(const ir::Op& op) {
  static const Words operators = {"iadd", "isub", "imul", "idiv", "itruediv", "ipow", "imod"};
  // Not a change of the bytes backward reads: where the values come from, how
  // they are seen.
  static const Words others = {
      "requires_grad_", "detach_",      "squeeze_",      "unsqueeze_", "t_",
      "transpose_",     "retain_grad_", "share_memory_", "resize_"};
  if (op.kind == Kind::TensorInPlace && op.receiver && !others.contains(op.callee))
    return Changes::Receiver;
  if (op.kind == Kind::Arith && operators.contains(op.callee) && !op.arguments.empty())
    return Changes::FirstArgument;
  const bool by_name =
      op.kind == Kind::Store && !op.arguments.empty() &&
      ir::to_string(op.arguments.front().value).find('"') != std::string::npos;  // a dict's entry
  return op.kind == Kind::Store && !by_name ? Changes::Receiver : Changes::Nothing;
}
const Values* changed(const flow::Node& node) {
  const Changes what = node.op == nullptr ? Changes::Nothing : changes(*node.op);
  if (what == Changes::Nothing) return nullptr;
  return what == Changes::Receiver ? &node.receiver : &node.arguments.front();
}

std::uint32_t trigger(const ir::Op& op) {
  const bool saves = (op.kind == Kind::Tensor || op.kind == Kind::TensorInPlace)
                         ? kSavesResult.contains(op.callee)
                         : kSavesResultModules.contains(op.callee);
  return (changes(op) != Changes::Nothing ? 1U : 0U) | (saves ? 2U : 0U);
}

// Inside a module's forward somebody will run backward; elsewhere it has to be
// seen.
bool needs_backward(const Analysis& of, NodeId change, ValueId value) {
  std::set<NodeId> backwards;
  auto take = [&](ValueId one) {
    for (const NodeId backward : of.backwards_of(one)) backwards.insert(backward);
  };
  take(value);
  for (const Values& made : of.node(change).results) {
    for (const ValueId one : made) take(one);
  }
  if (!backwards.empty()) {  // what is changed after the last of them is free
    return of
        .path(
            change, [&](NodeId at) { return backwards.contains(at); }, [](NodeId) { return false; })
        .has_value();
  }
  const auto& frames = of.graph().frames;
  for (flow::FrameId frame = of.node(change).frame; frame != flow::kNone;
       frame = frames[static_cast<std::size_t>(frame)].caller) {
    const ir::Function* function = frames[static_cast<std::size_t>(frame)].function;
    if (function != nullptr && function->name.ends_with(".forward")) return true;
  }
  return false;
}

// losses["dense" + suffix] = loss: an entry of a dict, no change of a tensor.
bool is_named(const Analysis& of, const flow::Node& store) {
  if (store.arguments.empty()) return false;
  return std::any_of(store.arguments[0].begin(), store.arguments[0].end(), [&](ValueId key) {
    const ir::Op* maker = of.maker(key);
    if (maker == nullptr) return of.value(key).role == ir::Role::Text;
    return maker->kind == Kind::Format ||
           std::any_of(
               maker->arguments.begin(), maker->arguments.end(),
               [](const ir::Argument& part) { return ir::to_string(part.value).starts_with('"'); });
  });
}

// An activation computes its gradient from its own result; changing that result
// in place makes backward() fail, or give wrong gradients.
void check(const Analysis& of, Findings& found) {
  for (const NodeId change : of.where([](const flow::Node& node) { return changed(node); })) {
    const flow::Node& node = of.node(change);
    if (node.is(Kind::Store) && is_named(of, node)) continue;
    for (const ValueId value : *changed(node)) {
      if (!saves_result(of, value) || of.value(value).def == change) continue;
      if (!needs_backward(of, change, value)) continue;
      const std::string& name = of.maker(value)->callee;
      found.at(change, "a result that backward() needs is changed in place")
          .note(of.value(value).def, (name.empty() ? std::string("the activation") : name) +
                                         " keeps its result to compute its gradient")
          .help("make a new tensor instead: y = y + x, not y += x")
          // In a forward whose callers are not here, nobody may run backward.
          .level(of.backwarded(value) ? Level::Error : Level::Warning);
      break;
    }
  }
}

}  // namespace

extern const Rule inplace_on_saved_output;
constinit const Rule inplace_on_saved_output{Level::Error, check, 0, false, nullptr, {trigger, 3}};

}  // namespace forerun::rules
