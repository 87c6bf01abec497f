#include "rules/rule.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool creates(const ir::Op& op) {
  static const std::set<std::string> known = {"zeros", "ones",   "rand",     "randn", "full",
                                              "eye",   "arange", "linspace", "empty", "randint"};
  return op.kind == Kind::Tensor && !op.receiver && known.contains(op.callee);
}

bool says_where(const ir::Op& op) {
  return std::any_of(op.arguments.begin(), op.arguments.end(), [](const ir::Argument& one) {
    return one.name == "device" || one.name == "**" || one.name == "*" || one.name == "out" ||
           one.name == "options" ||
           mentions(ir::to_string(one.value), {"device", "options", "cuda"});
  });
}

// C++: torch::zeros({n}, x.options()) has its options in a temporary.
bool is_given_options(const Analysis& of, const flow::Node& node) {
  for (const Values& given : node.arguments) {
    for (const ValueId one : given) {
      const ir::Op* maker = of.maker(one);
      if (maker != nullptr && (maker->callee == "options" || maker->callee == "device" ||
                               mentions(maker->callee, {"option", "dtype"})))
        return true;
    }
  }
  return false;
}

// torch::empty(0), torch::empty({0}): no values, a sign that there is none.
bool holds_nothing(const Analysis& of, const flow::Node& node) {
  if (node.op->arguments.empty()) return false;
  const std::string* size = literal_of(node.op->arguments.front().value);
  if (size != nullptr) return *size == "0";
  for (const ValueId one : node.arguments.front()) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || maker->kind != Kind::Pack || maker->arguments.size() != 1) continue;
    const std::string* inner = literal_of(maker->arguments.front().value);
    if (inner != nullptr && *inner == "0") return true;
  }
  return false;
}

// The node that made the tensor on the default device, if all that was done since leaves it there.
NodeId made_by_default(const Analysis& of, const Values& values, int depth = 0) {
  NodeId found = flow::kNone;
  if (depth > 6) return found;
  for (const ValueId one : values) {
    const ir::Op* op = of.maker(one);
    if (op == nullptr) return flow::kNone;
    const NodeId def = of.value(one).def;
    const flow::Node& node = of.node(def);
    static const std::set<std::string> keeps = {
        "view", "unsqueeze", "expand", "repeat", "reshape",   "squeeze", "tril",
        "triu", "float",     "long",   "bool",   "transpose", "permute"};
    const bool scalar = op->kind == Kind::Arith && op->arguments.size() == 2 &&
                        literal_of(op->arguments[1].value) != nullptr;
    NodeId made = flow::kNone;
    if (creates(*op)) {
      if (says_where(*op) || is_given_options(of, node) || op->arguments.empty() ||
          holds_nothing(of, node))
        return flow::kNone;
      made = def;
    } else if (op->kind == Kind::Tensor && keeps.contains(op->callee)) {
      made = made_by_default(of, op->receiver ? node.receiver : node.arguments[0], depth + 1);
    } else if (op->kind == Kind::Move && keeps.contains(op->callee)) {
      made = made_by_default(of, node.receiver, depth + 1);
    } else if (scalar) {
      made = made_by_default(of, node.arguments[0], depth + 1);
    }
    if (made == flow::kNone) return flow::kNone;
    found = made;
  }
  return found;
}

const ir::Class* forward_of(const Analysis& of, NodeId id) {
  const ir::Function* function =
      of.graph().frames[static_cast<std::size_t>(of.node(id).frame)].function;
  if (function == nullptr || function->owner.empty()) return nullptr;
  const ir::Program& program = *of.graph().program;
  const ir::Class* owner = class_named(program, function->owner);
  if (owner == nullptr || !is_module_class(program, *owner)) return nullptr;
  return function->name == owner->name + ".forward" ? owner : nullptr;
}

// From a parameter of forward or one of the module's layers: wherever the module is.
bool comes_with_the_input(const Analysis& of, const Values& values) {
  // A size or a number read from the input is on no device.
  const Values from = of.sources(values, [&](const flow::Value& value) {
    if (value.form != flow::Value::Form::Result) return true;
    const ir::Op* made = of.node(value.def).op;
    return made == nullptr || (made->kind != Kind::Query && made->kind != Kind::HostRead);
  });
  return std::any_of(from.begin(), from.end(), [&](ValueId one) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr) return maker->kind == Kind::Forward || maker->callee == "Parameter";
    return of.value(one).form == flow::Value::Form::Name && of.value(one).step != "self" &&
           of.value(one).role != ir::Role::Number && of.value(one).frame != 0 &&
           of.value(one).frame != flow::kNone;
  });
}

bool mixes(const ir::Op& op) {
  static const std::set<std::string> operations = {"add", "sub", "mul", "div", "matmul"};
  static const std::set<std::string> functions = {"cat", "stack", "matmul", "bmm",   "mul",
                                                  "add", "where", "einsum", "addmm", "concat"};
  return (op.kind == Kind::Arith && operations.contains(op.callee)) ||
         (op.kind == Kind::Tensor && functions.contains(op.callee)) || op.kind == Kind::Forward;
}

std::uint32_t trigger(const ir::Op& op) {
  return (creates(op) && !says_where(op) ? 1U : 0U) | (mixes(op) ? 2U : 0U);
}

bool uses_devices(const ir::Program& program) {
  bool moves = false, fixed = false, trains = false;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    trains |= op.kind == Kind::Backward || op.kind == Kind::Step;
    moves |= op.kind == Kind::Move &&
             (op.callee == "cuda" ||
              (op.callee == "to" && !op.arguments.empty() &&
               mentions(ir::to_string(op.arguments[0].value), {"cuda", "device", "gpu"})));
    fixed |= mentions(op.callee, {"set_default_device", "set_default_tensor_type"});
  });
  return !fixed && (moves || !trains);
}

// A tensor on the host meets one on the device: it raises as soon as the module is moved.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.all({Kind::Arith, Kind::Tensor, Kind::Forward})) {
    const flow::Node& node = of.node(id);
    if (!mixes(*node.op) || forward_of(of, id) == nullptr) continue;
    std::vector<Values> parts = node.arguments;
    if (node.op->receiver && !node.is(Kind::Forward)) parts.push_back(node.receiver);
    for (const Values& given : node.arguments) {  // a pair of states, a list to join
      for (const ValueId one : given) {
        const ir::Op* maker = of.maker(one);
        if (maker == nullptr || maker->kind != Kind::Pack) continue;
        for (const ValueId inside : of.value(one).contents) parts.push_back({inside});
      }
    }
    NodeId made = flow::kNone;
    bool mixed = node.is(Kind::Forward);
    for (const Values& part : parts) {
      const NodeId here = made_by_default(of, part);
      if (here != flow::kNone && of.node(here).frame == node.frame) made = here;
      if (here == flow::kNone && comes_with_the_input(of, part)) mixed = true;
    }
    if (made == flow::kNone || !mixed) continue;
    found
        .at(made, fmt::format("{} makes a tensor on the default device, wherever the module is",
                              of.node(made).op->callee))
        .note(id, "here it meets the module's own device")
        .help(of.graph().program->language == ir::Language::Cpp
                  ? "make it with the input's options: x.options()"
                  : "pass device=x.device")
        // A layer may want an argument on the host: lengths to pack, for one.
        .level(node.is(Kind::Forward) && node.arguments.size() > 1 ? Level::Warning : Level::Error);
  }
}

}  // namespace

extern const Rule device_mismatch_in_forward;
constinit const Rule device_mismatch_in_forward{
    Level::Error, check, kinds(Kind::Tensor), false, nullptr, {trigger, 3}, uses_devices};

}  // namespace forerun::rules
