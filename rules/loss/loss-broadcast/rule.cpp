#include <optional>
#include <set>

#include <fmt/format.h>

#include "rules/activations.h"
#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

enum class Shape { Unknown, Column, Flat };  // (n, 1), (n)

bool is_text(const ir::Op& op, std::size_t position, const char* text) {
  const ir::Argument* given = argument(op, "", position);
  const std::string* literal = given == nullptr ? nullptr : literal_of(given->value);
  return literal != nullptr && *literal == text;
}

std::size_t sizes(const ir::Op& op) { return op.arguments.size() - (op.receiver ? 0 : 1); }

class Shapes {
 public:
  explicit Shapes(const Analysis& of) : of_(of) {}

  Shape join(const Values& values, int depth = 0) {
    std::optional<Shape> all;
    for (const ValueId one : values) {
      const Shape found = depth > 10 ? Shape::Unknown : look(one, depth);
      if (all && *all != found) return Shape::Unknown;
      all = found;
    }
    return all.value_or(Shape::Unknown);
  }

 private:
  Shape look(ValueId id, int depth) {
    const ir::Op* op = of_.maker(id);
    if (op == nullptr) return Shape::Unknown;
    const flow::Node& node = of_.node(of_.value(id).def);
    if (op->kind == Kind::Forward) return forward(id, node, depth);
    const Values& given =
        op->receiver || node.arguments.empty() ? node.receiver : node.arguments.front();
    if (op->kind == Kind::Move || op->kind == Kind::Detach) return join(given, depth + 1);
    if (op->kind != Kind::Tensor) return Shape::Unknown;
    return tensor(*op, given, depth);
  }

  Shape tensor(const ir::Op& op, const Values& given, int depth) {
    static const std::set<std::string> same = {"sigmoid",    "tanh",  "relu", "clone",
                                               "contiguous", "clamp", "exp",  "softplus"};
    const std::size_t first = op.receiver ? 0 : 1;
    if (same.contains(op.callee)) return join(given, depth + 1);
    if (op.callee == "view" || op.callee == "reshape") {
      if (sizes(op) == 1 && is_text(op, first, "-1")) return Shape::Flat;
      if (sizes(op) == 2 && is_text(op, first + 1, "1")) return Shape::Column;
      return Shape::Unknown;
    }
    if (op.callee == "flatten" && sizes(op) == 0) return Shape::Flat;
    const Shape before = join(given, depth + 1);
    if (op.callee == "squeeze") return before == Shape::Column ? Shape::Flat : Shape::Unknown;
    if (op.callee == "unsqueeze")
      return before == Shape::Flat && (is_text(op, first, "1") || is_text(op, first, "-1"))
                 ? Shape::Column
                 : Shape::Unknown;
    if ((op.callee == "rand" || op.callee == "randn" || op.callee == "zeros" ||
         op.callee == "ones") &&
        !op.receiver) {
      std::size_t positional = 0;
      for (const ir::Argument& one : op.arguments) positional += one.name.empty() ? 1 : 0;
      const bool literal = !op.arguments.empty() && literal_of(op.arguments[0].value) != nullptr;
      if (positional == 1 && literal) return Shape::Flat;
      return positional == 2 && is_text(op, 1, "1") ? Shape::Column : Shape::Unknown;
    }
    return Shape::Unknown;
  }

  Shape forward(ValueId id, const flow::Node& node, int depth) {
    Values inner, given = node.receiver;
    for (const Values& argument : node.arguments) flow::add(given, argument);
    for (const ValueId one : of_.value(id).inputs) {
      if (!flow::contains(given, one)) flow::add(inner, one);
    }
    if (!inner.empty()) return join(inner, depth + 1);
    std::optional<Shape> all;
    for (const ValueId module : node.receiver) {
      const Shape found = of_module(module, depth);
      if (all && *all != found) return Shape::Unknown;
      all = found;
    }
    return all.value_or(Shape::Unknown);
  }

  Shape of_module(ValueId id, int depth) {
    const ir::Op* op = of_.maker(id);
    if (op == nullptr || op->kind != Kind::Construct || depth > 10) return Shape::Unknown;
    if (op->callee == "Linear")
      return is_one(argument(*op, "out_features", 1)) ? Shape::Column : Shape::Unknown;
    const flow::Node& made = of_.node(of_.value(id).def);
    if (op->callee != "Sequential" || made.arguments.empty() || op->arguments.back().name == "*")
      return Shape::Unknown;
    for (std::size_t i = made.arguments.size(); i-- > 0;) {
      for (const ValueId last : made.arguments[i]) {
        const ir::Op* layer = of_.maker(last);
        if (layer == nullptr) return Shape::Unknown;
        if (layer->callee == "Linear") return of_module(last, depth + 1);
        if (layer->callee == "Flatten" || layer->callee == "Squeeze") return Shape::Unknown;
      }
    }
    return Shape::Unknown;
  }

  static bool is_one(const ir::Argument* given) {
    const std::string* literal = given == nullptr ? nullptr : literal_of(given->value);
    return literal != nullptr && *literal == "1";
  }

  const Analysis& of_;
};

bool is_regression(const std::string& loss) {
  return loss == "mse_loss" || loss == "l1_loss" || loss == "smooth_l1_loss" ||
         loss == "huber_loss";
}

// (n, 1) against (n) becomes (n, n): every prediction is compared with every target, and the best
// answer is the mean of all targets.
void check(const Analysis& of, Findings& found) {
  for (const NodeId loss : of.all(Kind::Loss)) {
    const std::string name = loss_name(of, loss);
    if (!is_regression(name)) continue;
    Shapes shapes(of);
    const Shape input = shapes.join(loss_input(of, loss)),
                target = shapes.join(loss_target(of, loss));
    if (input == Shape::Unknown || target == Shape::Unknown || input == target) continue;
    found
        .at(loss,
            fmt::format("{} is given (n, 1) and (n): every prediction meets every target", name))
        .help("make the shapes equal: squeeze(-1) the prediction or unsqueeze(-1) the target");
  }
}

}  // namespace

extern const Rule loss_broadcast;
constinit const Rule loss_broadcast{Level::Warning, check, kinds(Kind::Loss)};

}  // namespace forerun::rules
