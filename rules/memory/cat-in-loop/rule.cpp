#include "rules/rule.h"

#include <set>

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

constexpr int kFewRounds = 16;  // copies of a tensor that grows this seldom are not worth a word

bool joins(const ir::Op& op) {
  static const std::set<std::string> names = {"cat",    "concat", "concatenate",  "hstack",
                                              "vstack", "dstack", "column_stack", "row_stack"};
  return op.kind == Kind::Tensor && names.contains(op.callee);
}
std::uint32_t trigger(const ir::Op& op) { return joins(op); }

// The result comes back as one of the parts, whole: not a slice of it, not a
// window that moves.
bool grows(const Analysis& of, NodeId id) {
  const flow::Node& node = of.node(id);
  Values results, given;
  for (const Values& made : node.results) flow::add(results, made);
  for (const Values& argument : node.arguments) flow::add(given, argument);
  const Values whole = of.sources(given, [&](const flow::Value& one) {
    const ir::Op* maker = of.maker(static_cast<ValueId>(&one - of.graph().values.data()));
    return maker != nullptr && (maker->kind == Kind::Pack || maker->kind == Kind::Detach ||
                                maker->kind == Kind::Move || maker->kind == Kind::HostRead);
  });
  return flow::intersect(whole, results);
}

bool runs_seldom(const Analysis& of, LoopId loop) {
  const ir::Loop* source = of.loop(loop).source;
  if (source == nullptr || !source->iterable) return false;
  const std::string bound = ir::to_string(*source->iterable);
  if (bound.empty() || bound.find_first_not_of("0123456789") != std::string::npos) return false;
  return bound.size() < 3 && std::stoi(bound) <= kFewRounds;
}

// Each round uses what has grown so far (text that is generated, a beam): it
// has to be one tensor.
bool is_needed_whole(const Analysis& of, NodeId cat, LoopId loop) {
  Values results;
  for (const Values& made : of.node(cat).results) flow::add(results, made);
  for (const NodeId use : of.uses(results)) {
    const flow::Node& node = of.node(use);
    if (use == cat || node.is(Kind::Pack) || !of.graph().in(loop, use)) continue;
    if (node.is(Kind::Query) || node.is(Kind::Print) || node.is(Kind::Assign)) continue;
    const bool asks_whether_it_is_there =
        node.is(Kind::Arith) && (node.op->callee == "is" || node.op->callee == "is_not");
    if (asks_whether_it_is_there || node.form == flow::Node::Form::Branch) continue;
    return true;
  }
  return false;
}

// Every round copies all that the rounds before have collected: the work grows
// with the square of their number.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.all(Kind::Tensor)) {
    const LoopId loop = of.innermost_loop(id);
    if (!joins(*of.node(id).op) || loop == flow::kNone || runs_seldom(of, loop) || !grows(of, id))
      continue;
    if (is_needed_whole(of, id, loop)) continue;
    found
        .at(id, "a tensor grows by " + of.node(id).op->callee +
                    "() in every round, which copies all of it each time")
        .note(of.loop(loop).at, "the loop")
        .help("collect the parts in a list and join them once after the loop");
  }
}

}  // namespace

extern const Rule cat_in_loop;
constinit const Rule cat_in_loop{Level::Note, check,   kinds(Kind::Tensor),
                                 false,       nullptr, {trigger}};

}  // namespace forerun::rules
