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

// What has no finite derivative somewhere; `argument` is what must stay away from there.
struct Singular {
  std::string what;
  Values argument;
};

bool is_fraction(const std::string* literal) {
  return literal != nullptr && (literal->starts_with("0.") || literal->starts_with("-"));
}

std::optional<Singular> singular(const Analysis& of, ValueId id) {
  const ir::Op* op = of.maker(id);
  if (op == nullptr) return std::nullopt;
  const flow::Node& node = of.node(of.value(id).def);
  static const std::set<std::string> functions = {"sqrt", "rsqrt", "log",        "log2",  "log10",
                                                  "acos", "asin",  "reciprocal", "acosh", "atanh"};
  const bool method =
      op->kind == Kind::Call && op->receiver && op->arguments.empty() && op->callee == "log";
  if ((op->kind == Kind::Tensor || method) && functions.contains(op->callee)) {
    const Values& given =
        op->receiver || node.arguments.empty() ? node.receiver : node.arguments[0];
    return Singular{op->callee, given};
  }
  const bool power = op->callee == "pow" && (op->kind == Kind::Tensor || op->kind == Kind::Arith);
  if (power) {
    const std::size_t exponent = op->receiver ? 0 : 1;
    if (op->arguments.size() <= exponent || !is_fraction(literal_of(op->arguments[exponent].value)))
      return std::nullopt;
    return Singular{"pow", op->receiver ? node.receiver : node.arguments[0]};
  }
  if (op->callee == "div" && (op->kind == Kind::Arith || op->kind == Kind::Tensor)) {
    const std::size_t divisor = op->receiver ? 0 : 1;
    if (op->arguments.size() <= divisor || literal_of(op->arguments[divisor].value) != nullptr)
      return std::nullopt;
    return Singular{"a division", node.arguments[divisor]};
  }
  return std::nullopt;
}

// Kept away from the singular place: masked, clamped, shifted, or never there.
bool is_safe(const Analysis& of, ValueId id) {
  static const std::set<std::string> safe = {
      "where", "clamp",    "clip",    "clamp_min", "clamp_max",   "maximum", "max",
      "exp",   "softplus", "sigmoid", "cosh",      "masked_fill", "softmax"};
  const ir::Op* op = of.maker(id);
  if (op == nullptr) return false;
  if (op->kind == Kind::Tensor || op->kind == Kind::TensorInPlace) return safe.contains(op->callee);
  if (op->kind == Kind::Arith &&
      (op->callee == "add" || op->callee == "sub" || op->callee == "iadd")) {
    return std::any_of(op->arguments.begin(), op->arguments.end(), [](const ir::Argument& one) {
      const std::string text = ir::to_string(one.value);
      return literal_of(one.value) != nullptr || mentions(text, {"eps", "tiny", "delta"});
    });
  }
  return op->kind == Kind::Query || op->kind == Kind::Index;
}

// What the condition compares.
void compared(const Analysis& of, const Values& condition, Values& found, int depth) {
  for (const ValueId one : condition) {
    const ir::Op* op = of.maker(one);
    if (op == nullptr || depth > 6) continue;
    const flow::Node& node = of.node(of.value(one).def);
    for (const Values& given : node.arguments) flow::add(found, given);
    flow::add(found, node.receiver);
    const bool logic = op->kind == Kind::Arith || op->callee.starts_with("logical");
    if (!logic) continue;
    for (const Values& given : node.arguments) compared(of, given, found, depth + 1);
  }
}

// The same tensor, or one that elementwise steps lead to.
bool is_about(const Analysis& of, const Values& argument, const Values& asked) {
  const Values from = of.sources(argument, [&](const flow::Value& value) {
    if (value.form != flow::Value::Form::Result) return false;
    const ir::Op* op = of.node(value.def).op;
    return op != nullptr && (op->kind == Kind::Arith || op->kind == Kind::Tensor);
  });
  return flow::intersect(from, asked);
}

bool wants_gradient(const Analysis& of, NodeId id) {
  const flow::Node& node = of.node(id);
  if (node.grad == flow::Grad::Off || node.results.empty()) return false;
  return of.history(node.results.front()) != flow::History::None;
}

std::uint32_t trigger(const ir::Op& op) { return op.kind == Kind::Tensor && op.callee == "where"; }

// The gradient of the side that was not taken is zero times infinity: NaN, though the value is
// fine.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.all(Kind::Tensor)) {
    const flow::Node& node = of.node(id);
    if (node.op->callee != "where" || !wants_gradient(of, id)) continue;
    const bool method = node.op->receiver.has_value();  // a.where(condition, b)
    if (node.arguments.size() < (method ? 2U : 3U)) continue;
    Values asked;
    compared(of, node.arguments[0], asked, 0);
    const std::vector<const Values*> sides =
        method ? std::vector<const Values*>{&node.receiver, &node.arguments[1]}
               : std::vector<const Values*>{&node.arguments[1], &node.arguments[2]};
    bool reported = false;
    for (const Values* side : sides) {
      for (const ValueId one : *side) {
        const auto risky = singular(of, one);
        if (!risky || reported || risky->argument.empty() || !is_about(of, risky->argument, asked))
          continue;
        // inter / (a + b - inter) where inter > 0: what is asked is not whether the divisor is
        // zero.
        if (risky->what == "a division" && !flow::intersect(risky->argument, asked)) continue;
        if (std::any_of(risky->argument.begin(), risky->argument.end(),
                        [&](ValueId value) { return is_safe(of, value); }))
          continue;
        if (of.history(risky->argument) == flow::History::None) continue;
        reported = true;
        found
            .at(id,
                fmt::format("gradients become NaN where the condition keeps {} out", risky->what))
            .note(of.value(one).def, "it is computed for all elements, the excluded ones too")
            .help("replace the excluded inputs first: f(where(c, x, 1)), then where(c, f, 0)")
            // Nothing here tells whether anybody asks for the gradient of what came from outside.
            .level(of.history(risky->argument) == flow::History::Maybe ? Level::Warning
                                                                       : Level::Error);
      }
    }
  }
}

}  // namespace

extern const Rule where_nan_grad;
constinit const Rule where_nan_grad{Level::Error, check,   kinds(Kind::Tensor),
                                    false,        nullptr, {trigger}};

}  // namespace forerun::rules
