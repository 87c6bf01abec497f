#include "rules/element_type.h"

#include <algorithm>
#include <optional>
#include <set>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool keeps_type(const std::string& callee) {
  static const std::set<std::string> known = {
      "view",       "reshape", "flatten",      "squeeze",      "unsqueeze", "permute", "transpose",
      "contiguous", "t",       "expand",       "repeat",       "clone",     "clamp",   "clip",
      "select",     "narrow",  "index_select", "max",          "min",       "sum",     "abs",
      "roll",       "flip",    "detach",       "masked_select"};
  return known.contains(callee);
}

bool gives_integers(const std::string& callee) {
  static const std::set<std::string> known = {
      "argmax",   "argmin",       "argsort",  "randint",
      "randperm", "arange",       "nonzero",  "count_nonzero",
      "numel",    "bincount",     "eq",       "ne",
      "lt",       "gt",           "le",       "ge",
      "one_hot",  "searchsorted", "bucketize"};
  return known.contains(callee);
}

bool gives_floats(const std::string& callee) {
  static const std::set<std::string> known = {
      "softmax", "log_softmax", "sigmoid", "tanh", "exp",   "log",   "sqrt",
      "mean",    "std",         "var",     "norm", "rand",  "randn", "linspace",
      "div",     "cos",         "sin",     "relu", "log1p", "rsqrt"};
  return known.contains(callee);
}

// torch.zeros(n) is float32 unless told otherwise.
bool gives_floats_by_default(const std::string& callee) {
  return callee == "zeros" || callee == "ones" || callee == "empty" || callee == "eye";
}

class Types {
 public:
  explicit Types(const Analysis& of) : of_(of) {}

  ElementType join(const Values& values) {
    std::optional<ElementType> all;
    for (const ValueId one : values) {
      const ElementType found = type(one);
      if (found == ElementType::Unknown || (all && *all != found)) return ElementType::Unknown;
      all = found;
    }
    return all.value_or(ElementType::Unknown);
  }

 private:
  ElementType type(ValueId id) {
    if (!visiting_.insert(id).second) return ElementType::Unknown;
    const ElementType found = look(id);
    visiting_.erase(id);
    return found;
  }

  static ElementType by_argument(const ir::Op& op) {
    for (const ir::Argument& one : op.arguments) {
      const std::string text = ir::to_string(one.value);
      const ElementType found = element_type_named(text);
      if (found != ElementType::Unknown && (one.name.empty() || one.name == "dtype")) return found;
    }
    return ElementType::Unknown;
  }
  static bool has_dtype(const ir::Op& op) {
    return std::any_of(op.arguments.begin(), op.arguments.end(),
                       [](const ir::Argument& one) { return one.name == "dtype"; });
  }

  ElementType look(ValueId id) {
    const ir::Op* op = of_.maker(id);
    if (op == nullptr) return ElementType::Unknown;
    const flow::Node& node = of_.node(of_.value(id).def);
    const Values& first =
        op->receiver || node.arguments.empty() ? node.receiver : node.arguments.front();
    switch (op->kind) {
      case Kind::Loss:
      case Kind::Forward:
        return op->results.size() == 1 ? ElementType::Float : ElementType::Unknown;
      case Kind::Detach: return join(first);
      case Kind::Index: return index(node);
      case Kind::HostRead: return op->callee == "cpu" ? join(first) : ElementType::Unknown;
      case Kind::Move: return move(*op, first);
      case Kind::Arith: return arith(*op, node);
      case Kind::Tensor: return tensor(*op, first);
      case Kind::Call: return op->callee == "type" ? by_argument(*op) : ElementType::Unknown;
      default: return ElementType::Unknown;
    }
  }

  // Where the extreme values are: the second of what max(dim), sort(), topk() give.
  ElementType index(const flow::Node& node) {
    static const std::set<std::string> pairs = {"max",  "min",      "sort",   "topk",  "median",
                                                "mode", "kthvalue", "cummax", "cummin"};
    for (const ValueId one : node.receiver) {
      const ir::Op* maker = of_.maker(one);
      if (maker == nullptr || maker->kind != Kind::Tensor || !pairs.contains(maker->callee))
        continue;
      const bool whole = maker->arguments.size() < (maker->receiver ? 1U : 2U);
      const bool of_pair = !whole || maker->callee == "sort";
      const std::string key =
          node.op->arguments.empty() ? "" : ir::to_string(node.op->arguments.front().value);
      if (of_pair && key == "1") return ElementType::Integer;
      if (of_pair && key != "0") return ElementType::Unknown;
    }
    return join(node.receiver);
  }

  ElementType move(const ir::Op& op, const Values& moved) {
    if (op.callee == "float" || op.callee == "double" || op.callee == "half" ||
        op.callee == "bfloat16")
      return ElementType::Float;
    if (op.callee == "long" || op.callee == "int" || op.callee == "short" || op.callee == "byte" ||
        op.callee == "char" || op.callee == "bool")
      return ElementType::Integer;
    const ElementType said = by_argument(op);
    if (said != ElementType::Unknown) return said;
    const bool may_cast = op.callee == "type" || op.callee == "type_as" || has_dtype(op);
    return may_cast ? ElementType::Unknown : join(moved);
  }

  ElementType tensor(const ir::Op& op, const Values& first) {
    const ElementType said = by_argument(op);
    if (said != ElementType::Unknown) return said;
    if (has_dtype(op)) return ElementType::Unknown;
    if (gives_integers(op.callee)) return ElementType::Integer;
    if (gives_floats(op.callee)) return ElementType::Float;
    if (gives_floats_by_default(op.callee)) return ElementType::Float;
    return keeps_type(op.callee) && op.results.size() == 1 ? join(first) : ElementType::Unknown;
  }

  ElementType arith(const ir::Op& op, const flow::Node& node) {
    static const std::set<std::string> comparisons = {"eq", "ne", "lt", "le", "gt", "ge", "not"};
    if (comparisons.contains(op.callee)) return ElementType::Integer;
    if (op.callee != "add" && op.callee != "sub" && op.callee != "mul" && op.callee != "div" &&
        op.callee != "matmul" && op.callee != "neg")
      return ElementType::Unknown;
    for (const Values& one : node.arguments) {
      if (join(one) == ElementType::Float) return ElementType::Float;
    }
    return ElementType::Unknown;
  }

  const Analysis& of_;
  std::set<ValueId> visiting_;
};

}  // namespace

ElementType element_type_named(const std::string& dtype) {
  static const std::set<std::string> floats = {"float16",  "float32", "float64",
                                               "bfloat16", "float",   "double"};
  static const std::set<std::string> integers = {"int8",  "int16", "int32", "int64",
                                                 "uint8", "bool",  "long",  "int"};
  if (floats.contains(dtype)) return ElementType::Float;
  return integers.contains(dtype) ? ElementType::Integer : ElementType::Unknown;
}

ElementType element_type(const Analysis& of, const Values& values) {
  return Types(of).join(values);
}

}  // namespace forerun::rules
