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

const Values& operand(const ir::Op& op, const flow::Node& node) {
  return op.receiver || node.arguments.empty() ? node.receiver : node.arguments.front();
}

bool is_zero(const ir::Argument* one) {
  const std::string* literal = one == nullptr ? nullptr : literal_of(one->value);
  return literal != nullptr && (*literal == "0" || *literal == "0.0");
}

// x[:, None] - x[None]: the diagonal is exactly zero.
bool is_difference_with_itself(const Analysis& of, const ir::Op& op, const flow::Node& node) {
  if (op.callee != "sub" || node.arguments.size() != 2) return false;
  auto reshaped = [&](const Values& values) {
    Values from;
    for (const ValueId one : values) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr) continue;
      const flow::Node& made = of.node(of.value(one).def);
      // x[:, None], not x[i]: elements picked by index are pairs that somebody chose.
      const bool adds_axis =
          maker->kind == Kind::Index &&
          std::any_of(maker->arguments.begin(), maker->arguments.end(),
                      [](const ir::Argument& key) {
                        const std::string text = ir::to_string(key.value);
                        return text == "none" || text.find("None") != std::string::npos;
                      });
      if (adds_axis || maker->callee == "unsqueeze" || maker->callee == "expand" ||
          maker->callee == "view" || maker->callee == "reshape")
        flow::add(from, operand(*maker, made));
    }
    return from;
  };
  return flow::intersect(reshaped(node.arguments[0]), reshaped(node.arguments[1]));
}

// Why the value is exactly zero somewhere; empty when nothing says that it is.
std::string zero_because(const Analysis& of, const Values& values, int depth) {
  if (values.size() != 1 || depth > 8) return "";
  const ir::Op* op = of.maker(values.front());
  if (op == nullptr) return "";
  const flow::Node& node = of.node(of.value(values.front()).def);
  if (op->kind == Kind::Loss && (op->callee == "mse_loss" || op->callee == "l1_loss")) return "";
  if (op->kind == Kind::Forward) {
    for (const ValueId module : node.receiver) {
      const ir::Op* made = of.maker(module);
      if (made != nullptr && made->callee == "ReLU") return "relu() before it gives exact zeros";
    }
    return "";
  }
  static const std::set<std::string> down = {"sum",  "mean",    "square",    "abs",
                                             "view", "reshape", "squeeze",   "unsqueeze",
                                             "pow",  "flatten", "contiguous"};
  if (op->kind == Kind::Arith || op->callee == "pow") {
    if (is_difference_with_itself(of, *op, node))
      return "the difference of a tensor with itself is zero on the diagonal";
    if (op->callee == "pow" || op->callee == "sub") {
      return op->callee == "pow"
                 ? zero_because(of, op->receiver ? node.receiver : node.arguments[0], depth + 1)
                 : "";
    }
    if (op->callee == "mul" && node.arguments.size() == 2 && node.arguments[0] == node.arguments[1])
      return zero_because(of, node.arguments[0], depth + 1);
    return "";
  }
  if (op->kind != Kind::Tensor && op->kind != Kind::TensorInPlace) return "";
  if (op->callee == "relu" || op->callee == "relu_") return "relu() before it gives exact zeros";
  const bool clamps = op->callee == "clamp" || op->callee == "clip" || op->callee == "clamp_min" ||
                      op->callee == "clamp_";
  if (clamps && is_zero(argument(*op, "min", op->receiver ? 0 : 1)))
    return "clamping at 0 gives exact zeros";
  if (op->callee == "zeros" || op->callee == "zeros_like") return "it starts as zeros";
  return down.contains(op->callee) ? zero_because(of, operand(*op, node), depth + 1) : "";
}

bool takes_a_root(const ir::Op& op) {
  if (op.callee == "sqrt" || op.callee == "rsqrt") return op.kind == Kind::Tensor;
  if (op.callee != "pow") return false;
  const ir::Argument* exponent = argument(op, "exponent", op.receiver ? 0 : 1);
  const std::string* literal = exponent == nullptr ? nullptr : literal_of(exponent->value);
  return literal != nullptr && literal->starts_with("0.");
}

std::uint32_t trigger(const ir::Op& op) {
  return (op.kind == Kind::Tensor || op.kind == Kind::Arith) && takes_a_root(op);
}

// The derivative of a root is infinite at zero, and NaN after anything that multiplies it by zero.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.all({Kind::Tensor, Kind::Arith})) {
    const flow::Node& node = of.node(id);
    if (!takes_a_root(*node.op) || node.grad == flow::Grad::Off || node.results.empty()) continue;
    if (of.history(node.results.front()) == flow::History::None) continue;
    const Values& given = operand(*node.op, node);
    const std::string why = zero_because(of, given, 0);
    if (why.empty()) continue;
    found.at(id, fmt::format("{} has an infinite derivative at zero", node.op->callee))
        .note(of.value(given.front()).def, why)
        .help("add a small number under the root, or clamp away from zero")
        // Nothing here tells whether anybody asks for the gradient of what came from outside.
        .level(of.history(given) == flow::History::Maybe ? Level::Warning : Level::Error);
  }
}

}  // namespace

extern const Rule sqrt_at_zero_grad;
constinit const Rule sqrt_at_zero_grad{Level::Error, check,   kinds(Kind::Tensor),
                                       false,        nullptr, {trigger}};

}  // namespace forerun::rules
