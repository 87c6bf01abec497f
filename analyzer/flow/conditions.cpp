#include "analyzer/flow/conditions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace forerun::flow {
namespace {

constexpr std::uint64_t kOne = 1;
constexpr int kMaxDepth = 6;  // of one expression

const std::string* literal(const ir::Operand* operand) {
  const auto* text = operand == nullptr ? nullptr : std::get_if<ir::Literal>(operand);
  return text == nullptr ? nullptr : &text->text;
}

// Operations whose result depends on nothing but what they are given.
bool is_pure(const ir::Op& op) {
  using ir::Kind;
  if (op.kind == Kind::Arith || op.kind == Kind::Query) return true;
  static const std::set<std::string> calls = {"isinstance", "hasattr", "getattr", "len", "callable",
                                              "bool",       "int",     "min",     "max"};
  return op.kind == Kind::Call && calls.contains(op.callee);
}

}  // namespace

Conditions::Conditions(const Graph& graph) : graph_(graph) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[static_cast<std::size_t>(id)];
    if (node.form == Node::Form::Branch) formulas_[id] = formula(node.receiver, node.condition, 0);
  }
  for (const auto& [id, formula] : formulas_) count(formula);
  int next = 0;
  for (const Fact& fact : facts_)
    numbers_.push_back(fact.branches > 1 && next < kMaxFacts ? next++ : -1);
  changes_.assign(graph.loops.size(), 0);
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (numbers_[i] < 0) continue;
    for (const ValueId value : facts_[i].values) {
      for (LoopId loop = graph.values[static_cast<std::size_t>(value)].loop; loop != kNone;
           loop = graph.loops[static_cast<std::size_t>(loop)].parent) {
        changes_[static_cast<std::size_t>(loop)] |= kOne << numbers_[i];
      }
    }
  }
}

void Conditions::count(const Formula& formula) {
  if (formula.form == Formula::Form::Fact)
    ++facts_[static_cast<std::size_t>(formula.fact)].branches;
  for (const Formula& part : formula.parts) count(part);
}

Conditions::Formula Conditions::fact(const std::string& key, const Values& values) {
  const auto [found, is_new] = fact_ids_.try_emplace(key, static_cast<int>(facts_.size()));
  if (is_new) facts_.push_back({key, values, 0});
  return {Formula::Form::Fact, found->second, {}};
}

// A text that is equal for two expressions only if they have the same value when what they depend
// on has.
std::string Conditions::key(const Values& values, const ir::Operand* operand, int depth,
                            Values& depends) const {
  if (const std::string* text = literal(operand)) return *text;
  if (values.size() == 1 && depth < kMaxDepth) {
    const Value& only = graph_.values[static_cast<std::size_t>(values.front())];
    const ir::Op* op = only.form == Value::Form::Result && only.def != kNone
                           ? graph_.nodes[static_cast<std::size_t>(only.def)].op
                           : nullptr;
    if (op != nullptr && is_pure(*op)) {
      const Node& made = graph_.nodes[static_cast<std::size_t>(only.def)];
      std::string text = fmt::format("{}:{}(", ir::name(op->kind), op->callee);
      if (op->receiver) text += key(made.receiver, &*op->receiver, depth + 1, depends) + "; ";
      for (std::size_t i = 0; i < op->arguments.size(); ++i)
        text += key(made.arguments[i], &op->arguments[i].value, depth + 1, depends) + ", ";
      return text + ")";
    }
  }
  add(depends, values);
  if (values.empty()) return operand == nullptr ? "?" : fmt::format("#{}", ir::to_string(*operand));
  return fmt::format("v{}", fmt::join(values, "|"));
}

Conditions::Formula Conditions::formula(const Values& values, const ir::Operand* operand,
                                        int depth) {
  if (operand != nullptr && std::holds_alternative<ir::Opaque>(*operand)) return {};
  if (values.empty()) return {};
  if (values.size() == 1 && depth < kMaxDepth) {
    const Value& only = graph_.values[static_cast<std::size_t>(values.front())];
    if (only.form == Value::Form::Result && only.def != kNone &&
        graph_.nodes[static_cast<std::size_t>(only.def)].op != nullptr) {
      return of_operation(graph_.nodes[static_cast<std::size_t>(only.def)], values.front(), depth);
    }
  }
  Values depends;
  const std::string text = key(values, operand, depth, depends);
  return fact(text, depends);
}

Conditions::Formula Conditions::of_operation(const Node& node, ValueId result, int depth) {
  const ir::Op& op = *node.op;
  auto argument = [&](std::size_t i) {
    return formula(node.arguments[i], &op.arguments[i].value, depth + 1);
  };
  auto negated = [](Formula inner) { return Formula{Formula::Form::Not, 0, {std::move(inner)}}; };
  Values depends;
  if (op.kind == ir::Kind::Arith && op.callee == "not" && op.arguments.size() == 1)
    return negated(argument(0));
  if (op.kind == ir::Kind::Arith && op.arguments.size() == 2) {
    if (op.callee == "and" || op.callee == "or") {
      return {op.callee == "and" ? Formula::Form::And : Formula::Form::Or,
              0,
              {argument(0), argument(1)}};
    }
    const std::string* right = literal(&op.arguments[1].value);
    const bool equal = op.callee == "eq" || op.callee == "is";
    const bool differs = op.callee == "ne" || op.callee == "is_not";
    // `x is not None` and `x` ask the same of an object.
    if (right != nullptr && (*right == "none" || *right == "false") && (equal || differs))
      return equal ? negated(argument(0)) : argument(0);
    if (right != nullptr && *right == "true" && (equal || differs))
      return equal ? argument(0) : negated(argument(0));
    const std::string a = key(node.arguments[0], &op.arguments[0].value, depth + 1, depends);
    const std::string b = key(node.arguments[1], &op.arguments[1].value, depth + 1, depends);
    if (equal) return fact("eq " + std::min(a, b) + " " + std::max(a, b), depends);
    if (differs) return negated(fact("eq " + std::min(a, b) + " " + std::max(a, b), depends));
    if (op.callee == "lt") return fact("lt " + a + " " + b, depends);
    if (op.callee == "gt") return fact("lt " + b + " " + a, depends);
    if (op.callee == "ge") return negated(fact("lt " + a + " " + b, depends));
    if (op.callee == "le") return negated(fact("lt " + b + " " + a, depends));
    if (op.callee == "not_in") return negated(fact("in " + a + " " + b, depends));
    if (op.callee == "in") return fact("in " + a + " " + b, depends);
  }
  const std::string text = key({result}, nullptr, depth, depends);
  return fact(text, depends);
}

Conditions::Truth Conditions::value(const Formula& formula, const Assumption& assumption) const {
  switch (formula.form) {
    case Formula::Form::Unknown: return Truth::Open;
    case Formula::Form::Fact: {
      const int bit = number(formula.fact);
      if (bit < 0 || (assumption.known >> bit & kOne) == 0) return Truth::Open;
      return (assumption.holds >> bit & kOne) != 0 ? Truth::True : Truth::False;
    }
    case Formula::Form::Not: {
      const Truth inner = value(formula.parts[0], assumption);
      return inner == Truth::Open ? Truth::Open : inner == Truth::True ? Truth::False : Truth::True;
    }
    case Formula::Form::And:
    case Formula::Form::Or: {
      const Truth absorbing = formula.form == Formula::Form::And ? Truth::False : Truth::True;
      Truth all = absorbing == Truth::False ? Truth::True : Truth::False;
      for (const Formula& part : formula.parts) {
        const Truth one = value(part, assumption);
        if (one == absorbing) return absorbing;
        if (one == Truth::Open) all = Truth::Open;
      }
      return all;
    }
  }
  return Truth::Open;
}

void Conditions::assume(const Formula& formula, bool holds, Assumption& assumption) const {
  switch (formula.form) {
    case Formula::Form::Unknown: return;
    case Formula::Form::Fact: {
      const int bit = number(formula.fact);
      if (bit < 0) return;
      assumption.known |= kOne << bit;
      assumption.holds = holds ? assumption.holds | kOne << bit : assumption.holds & ~(kOne << bit);
      return;
    }
    case Formula::Form::Not: return assume(formula.parts[0], !holds, assumption);
    case Formula::Form::And:
    case Formula::Form::Or:
      if (holds == (formula.form == Formula::Form::And)) {
        for (const Formula& part : formula.parts) assume(part, holds, assumption);
        return;
      }
      // One part decides; when all others are settled it is the last one.
      const Formula* open = nullptr;
      for (const Formula& part : formula.parts) {
        if (value(part, assumption) != Truth::Open) continue;
        if (open != nullptr) return;
        open = &part;
      }
      if (open != nullptr) assume(*open, holds, assumption);
  }
}

std::uint64_t Conditions::bits(const Formula& formula) const {
  const int bit = formula.form == Formula::Form::Fact ? number(formula.fact) : -1;
  std::uint64_t all = bit < 0 ? 0 : kOne << bit;
  for (const Formula& part : formula.parts) all |= bits(part);
  return all;
}

std::uint64_t Conditions::asked(NodeId node) const {
  const auto found = formulas_.find(node);
  return found == formulas_.end() ? 0 : bits(found->second);
}

bool Conditions::take(NodeId node, int direction, Assumption& assumption) const {
  const auto found = formulas_.find(node);
  if (found == formulas_.end()) return true;
  const Truth known = value(found->second, assumption);
  if (known == (direction > 0 ? Truth::False : Truth::True)) return false;
  assume(found->second, direction > 0, assumption);
  return true;
}

void Conditions::forget(LoopId loop, Assumption& assumption) const {
  assumption.known &= ~changes_[static_cast<std::size_t>(loop)];
  assumption.holds &= assumption.known;
}

}  // namespace forerun::flow
