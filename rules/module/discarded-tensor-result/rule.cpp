#include "rules/rule.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "analyzer/ir/walk.h"
#include "rules/declarations.h"
#include "rules/exact_text.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// Methods that people take for in-place ones.
bool looks_in_place(const std::string& callee) {
  static const std::set<std::string> known = {
      "clamp",   "clip",        "clamp_min", "clamp_max",   "squeeze",    "unsqueeze", "view",
      "reshape", "transpose",   "permute",   "t",           "contiguous", "expand",    "flatten",
      "repeat",  "masked_fill", "scatter",   "scatter_add", "index_fill", "index_add", "index_copy",
      "add",     "sub",         "mul",       "div",         "relu",       "sigmoid",   "tanh",
      "softmax", "abs",         "sqrt",      "exp",         "log",        "pow",       "neg",
      "round",   "floor",       "ceil",      "clone",       "fill",       "normalize", "swapaxes"};
  return known.contains(callee);
}

// Frameworks whose batches have a to() that moves the object itself.
bool has_moving_batches(const ir::Program& program) {
  for (const char* module : {"transformers", "torch_geometric", "dgl", "detectron2", "mmengine",
                             "mmcv", "mmdet", "torchtext", "datasets", "tensordict", "torchrl",
                             "pytorch3d", "tianshou", "torch_scatter", "kornia"}) {
    if (imports(program, module)) return true;
  }
  return false;
}

bool is_tensor_made(const ir::Op& op) {
  switch (op.kind) {
    case Kind::Tensor:
    case Kind::Loss:
    case Kind::Detach: return true;
    default: return false;
  }
}

bool is_given_to_a_model(const Analysis& of, ValueId id) {
  for (const NodeId use : of.uses({id})) {
    const flow::Node& node = of.node(use);
    if (node.is(Kind::Forward) && !node.arguments.empty() && flow::contains(node.arguments[0], id))
      return true;
  }
  return false;
}

// Something that only a tensor can do is done to the value.
bool is_used_as_tensor(const Analysis& of, ValueId id) {
  for (const NodeId use : of.uses({id})) {
    const flow::Node& node = of.node(use);
    if (node.op == nullptr || node.op->results.empty()) continue;
    if (node.is(Kind::Loss) && node.arguments.size() > 1 && flow::contains(node.arguments[1], id))
      return true;
    const bool on_it = flow::contains(node.receiver, id);
    if (on_it && (node.is(Kind::Tensor) || node.is(Kind::TensorInPlace) || node.is(Kind::Backward)))
      return true;
    if (on_it && node.is(Kind::Query) && node.op->callee != "len") return true;
    if (!node.op->receiver && node.is(Kind::Tensor) && !node.arguments.empty() &&
        flow::contains(node.arguments[0], id))
      return true;
  }
  return false;
}

// What is called is no tensor: rnn = RNN(...), RNN from outside.
bool is_called(const Analysis& of, ValueId id) {
  const std::vector<NodeId> uses = of.uses({id});
  return std::any_of(uses.begin(), uses.end(), [&](NodeId use) {
    return of.node(use).is(Kind::Forward) && flow::contains(of.node(use).receiver, id);
  });
}

bool is_tensor(const Analysis& of, const Values& values) {
  if (values.empty()) return false;
  return std::all_of(values.begin(), values.end(), [&](ValueId id) {
    const flow::Value& value = of.value(id);
    if (of.is_module(id) || is_called(of, id)) return false;
    const ir::Op* maker = of.maker(id);
    if (maker != nullptr && maker->kind == Kind::Move && !of.node(value.def).receiver.empty() &&
        !flow::contains(of.node(value.def).receiver, id) &&
        is_tensor(of, of.node(value.def).receiver))
      return true;
    // rnn = RNN(...): an object of a class that is not seen, by its spelling.
    if (maker != nullptr && maker->kind == Kind::Call && !maker->callee.empty() &&
        std::isupper(static_cast<unsigned char>(maker->callee.front())) != 0)
      return false;
    if (maker != nullptr) return is_tensor_made(*maker) || is_used_as_tensor(of, id);
    if (value.form == flow::Value::Form::Element) {
      const flow::Node& head = of.node(value.def);
      const bool pair = head.loop_ir != nullptr && head.loop_ir->targets.size() > 1;
      const bool batches =
          pair && head.loop_ir->iterable &&
          mentions(ir::to_string(*head.loop_ir->iterable), {"loader", "batch", "data"});
      return (batches && (value.index > 0 || is_given_to_a_model(of, id))) ||
             is_used_as_tensor(of, id);
    }
    return value.role == ir::Role::Tensor || is_used_as_tensor(of, id);
  });
}

// bias.add_(x).to(dtype): the statement did its work before.
bool changed_before(const Analysis& of, const flow::Node& node) {
  const ir::Place* read = node.op->receiver ? place_of(*node.op->receiver) : nullptr;
  if (read == nullptr || !read->is_temporary()) return false;
  const auto changes = of.all(Kind::TensorInPlace);
  return std::any_of(changes.begin(), changes.end(), [&](NodeId id) {
    const flow::Node& change = of.node(id);
    return change.frame == node.frame && !change.op->results.empty() &&
           change.op->results.front() == *read;
  });
}

bool is_pure(const Analysis& of, const flow::Node& node) {
  const ir::Op& op = *node.op;
  if (op.kind == Kind::Move && changed_before(of, node)) return false;
  const bool cpp = of.graph().program->language == ir::Language::Cpp;
  if (op.kind == Kind::Move || op.kind == Kind::Detach)
    return op.receiver && op.callee != "detach_" && op.callee != "data" &&
           op.callee != "pin_memory" && (!cpp || op.result_role == ir::Role::Tensor);
  return op.kind == Kind::Tensor && op.receiver && looks_in_place(op.callee);
}

std::uint32_t trigger(const ir::Op& op) {
  return op.results.empty() && op.receiver &&
         (op.kind == Kind::Move || op.kind == Kind::Detach ||
          (op.kind == Kind::Tensor && looks_in_place(op.callee)));
}

// Timing code and tests run operations for their own sake.
bool runs_for_its_own_sake(const Analysis& of, NodeId node) {
  const bool timed =
      !of.all({Kind::Clock, Kind::Synchronize}).empty() && !of.node(node).is(Kind::Move);
  const int scope = of.scope_around(node, [](const ir::Scope& one) {
    return mentions(one.callee, {"raises", "assert", "warns", "profile", "timer", "catch", "mode"});
  });
  return timed || scope != flow::kNone;
}

bool assigns(const ir::Block& block, const ir::Place& name) {
  auto is_name = [&](const ir::Place& place) { return place == name; };
  for (const ir::Node& node : block) {
    bool found = false;
    if (const auto* op = std::get_if<ir::Op>(&node.value))
      found = std::any_of(op->results.begin(), op->results.end(), is_name);
    if (const auto* loop = std::get_if<ir::Loop>(&node.value))
      found = std::any_of(loop->targets.begin(), loop->targets.end(), is_name);
    const bool defines = std::holds_alternative<ir::Define>(node.value);
    ir::each_block(
        node, [&](const ir::Block& inner) { found = found || (!defines && assigns(inner, name)); });
    if (found) return true;
  }
  return false;
}

// An assignment would make another variable of a name that the function only reads.
bool may_be_assigned(const ir::Function& function, const ir::Place& place) {
  if (std::find(place.steps.begin(), place.steps.end(), "[]") != place.steps.end()) return false;
  const auto& parameters = function.parameters;
  return !place.steps.empty() || function.name == "<module>" ||
         std::find(parameters.begin(), parameters.end(), place.root) != parameters.end() ||
         assigns(function.body, place);
}

void offer(Findings::Draft& draft, const ir::Op& op, const std::string& call,
           const std::string& what) {
  if (const auto place = head_of(op, call.size()))
    draft.fix("keep the result", *place, fmt::format("{} = {}", what, call), call);
}

// Tensor methods without a final underscore leave the tensor as it is and return another one.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  const bool notebook = program.path.ends_with(".ipynb");
  const bool cpp = program.language == ir::Language::Cpp;
  for (const NodeId id : of.all({Kind::Move, Kind::Detach, Kind::Tensor})) {
    const flow::Node& node = of.node(id);
    if (!node.op->results.empty() || !is_pure(of, node) || runs_for_its_own_sake(of, id)) continue;
    const auto& frame = of.graph().frames[static_cast<std::size_t>(node.frame)];
    const bool shown = notebook && frame.function != nullptr && frame.function->name == "<module>";
    if (shown || (!cpp && has_moving_batches(program)) || (!cpp && !is_tensor(of, node.receiver)))
      continue;
    const ir::Place* place = place_of(*node.op->receiver);
    const std::string what =
        place == nullptr || place->is_temporary() ? std::string("the tensor") : to_string(*place);
    const std::string callee = node.op->callee.empty() ? "detach" : node.op->callee;
    auto draft = found.at(
        id, fmt::format("the result of {}() is lost: {} itself does not change", callee, what));
    draft.help(what == "the tensor" ? "use what it returns"
                                    : fmt::format("write {0} = {0}.{1}(...)", what, callee));
    if (!cpp && what != "the tensor" && frame.function != nullptr &&
        may_be_assigned(*frame.function, *place))
      offer(draft, *node.op, what + "." + callee + "(", what);
  }
}

}  // namespace

extern const Rule discarded_tensor_result;
constinit const Rule discarded_tensor_result{
    Level::Error, check, kinds(Kind::Move, Kind::Detach, Kind::Tensor), false, nullptr, {trigger}};

}  // namespace forerun::rules
