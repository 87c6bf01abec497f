#include "rules/no_sync.h"

#include <cstdlib>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

using Number = std::optional<long>;

// Whole numbers and truth values of one round.
class Round {
 public:
  Round(const Analysis& of, LoopId loop, long i, long k) : of_(of), loop_(loop), i_(i), k_(k) {}

  Number value(const ir::Operand& operand, const Values& values, int depth = 0) {
    if (const std::string* literal = literal_of(operand)) {
      if (*literal == "true") return 1;
      if (*literal == "false") return 0;
      char* end = nullptr;
      const long number = std::strtol(literal->c_str(), &end, 10);
      return end != literal->c_str() && *end == '\0' ? Number(number) : std::nullopt;
    }
    if (values.size() != 1 || depth > 12) return std::nullopt;
    const flow::Value& one = of_.value(values.front());
    if (one.form == flow::Value::Form::Element) {
      const bool counter = one.def == of_.loop(loop_).head && one.index == 0;
      return counter ? Number(i_) : std::nullopt;
    }
    if (one.form == flow::Value::Form::Name || one.form == flow::Value::Form::Member) {
      if (unknown_ != flow::kNone && unknown_ != values.front()) return std::nullopt;
      unknown_ = values.front();
      return k_;
    }
    const ir::Op* op = of_.maker(values.front());
    if (op == nullptr || op->kind != Kind::Arith) return std::nullopt;
    return arith(*op, of_.node(one.def), depth);
  }

 private:
  Number arith(const ir::Op& op, const flow::Node& node, int depth) {
    if (op.arguments.empty()) return std::nullopt;
    const Number a = value(op.arguments[0].value, node.arguments[0], depth + 1);
    if (op.arguments.size() == 1) {
      if (!a) return std::nullopt;
      if (op.callee == "not") return *a == 0;
      return op.callee == "neg" ? Number(-*a) : std::nullopt;
    }
    if (op.arguments.size() != 2) return std::nullopt;
    const Number b = value(op.arguments[1].value, node.arguments[1], depth + 1);
    if (op.callee == "and") {
      if ((a && *a == 0) || (b && *b == 0)) return 0;
      return a && b ? Number(1) : std::nullopt;
    }
    if (op.callee == "or") {
      if ((a && *a != 0) || (b && *b != 0)) return 1;
      return a && b ? Number(0) : std::nullopt;
    }
    if (!a || !b) return std::nullopt;
    if (op.callee == "add") return *a + *b;
    if (op.callee == "sub") return *a - *b;
    if (op.callee == "mul") return *a * *b;
    if (op.callee == "mod") return *b > 0 ? Number(((*a % *b) + *b) % *b) : std::nullopt;
    if (op.callee == "eq" || op.callee == "is") return *a == *b;
    if (op.callee == "ne" || op.callee == "is_not") return *a != *b;
    if (op.callee == "lt") return *a < *b;
    if (op.callee == "le") return *a <= *b;
    if (op.callee == "gt") return *a > *b;
    if (op.callee == "ge") return *a >= *b;
    return std::nullopt;
  }

  const Analysis& of_;
  LoopId loop_;
  long i_, k_;
  ValueId unknown_ = flow::kNone;
};

bool is_no_sync(const Analysis& of, ValueId id) {
  const ir::Op* maker = of.maker(id);
  return maker != nullptr && maker->kind == Kind::Call && maker->callee == "no_sync";
}

bool any_no_sync(const Analysis& of, const Values& values, NoSync& found) {
  for (const ValueId one : values) {
    if (!is_no_sync(of, one)) continue;
    found.model = of.node(of.value(one).def).receiver;
    return true;
  }
  return false;
}

// (condition, if true, if false), as an operation or as a scope's own arguments.
bool choice(const Analysis& of, const std::vector<ir::Argument>& written,
            const std::vector<Values>& values, NodeId at, NoSync& found) {
  if (written.size() != 3) return false;
  const bool first = any_no_sync(of, values[1], found);
  const bool second = any_no_sync(of, values[2], found);
  if (first == second) return false;
  found.chosen = at;
  found.condition = &written[0].value;
  found.condition_values = values[0];
  found.when = first;
  return true;
}

}  // namespace

std::optional<NoSync> no_sync_around(const Analysis& of, NodeId node) {
  for (const int scope : of.scopes_around(node)) {
    const flow::Scope& one = of.graph().scopes[static_cast<std::size_t>(scope)];
    const flow::Node& entered = of.node(one.node);
    NoSync found;
    found.scope = found.chosen = one.node;
    if (one.source->callee == "no_sync") {
      if (!entered.arguments.empty()) found.model = entered.arguments.front();
      return found;
    }
    if (one.source->callee == "select" &&
        choice(of, one.source->arguments, entered.arguments, one.node, found))
      return found;
    for (const Values& given : entered.arguments) {
      for (const ValueId value : given) {
        const ir::Op* maker = of.maker(value);
        if (maker == nullptr) continue;
        const NodeId def = of.value(value).def;
        if (maker->callee == "select" &&
            choice(of, maker->arguments, of.node(def).arguments, def, found))
          return found;
        if (is_no_sync(of, value)) {
          found.chosen = def;
          found.model = of.node(def).receiver;
          return found;
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<bool> met_in_round(const Analysis& of, LoopId loop, NodeId node, long i, long k) {
  bool all = true;
  for (const Analysis::Guard& guard : of.guards(node, loop)) {
    const flow::Node& branch = of.node(guard.branch);
    if (branch.condition == nullptr) return std::nullopt;
    const auto holds = Round(of, loop, i, k).value(*branch.condition, branch.receiver);
    if (!holds) return std::nullopt;
    all &= (*holds != 0) == (guard.taken > 0);
  }
  return all;
}

std::optional<bool> active_in_round(const Analysis& of, LoopId loop, const NoSync& scope, long i,
                                    long k) {
  const NodeId at = scope.condition == nullptr ? scope.chosen : scope.scope;
  const auto met = met_in_round(of, loop, at, i, k);
  if (!met || scope.condition == nullptr) return met;
  const auto holds = Round(of, loop, i, k).value(*scope.condition, scope.condition_values);
  if (!holds) return std::nullopt;
  return *met && (*holds != 0) == scope.when;
}

std::optional<long> rounds_of(const Analysis& of, LoopId loop, long k) {
  const ir::Loop* source = of.loop(loop).source;
  if (source == nullptr || source->form != ir::Loop::Form::Counted || !source->iterable)
    return std::nullopt;
  return Round(of, loop, 0, k).value(*source->iterable, of.node(of.loop(loop).head).receiver);
}

}  // namespace forerun::rules
