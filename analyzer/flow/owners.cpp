// Whose parameters an optimizer steps, which modules belong together, and what code that is not
// seen may reach.
#include <algorithm>
#include <set>

#include "analyzer/flow/analysis.h"
#include "analyzer/flow/names.h"

namespace forerun::flow {

using ir::Kind;

// --- optimizers, models
// -----------------------------------------------------------------------------

Values Analysis::stepped(NodeId step) const {
  const Node& one = node(step);
  if (one.is(Kind::ScalerStep) || one.is(Kind::Unscale))
    return one.arguments.empty() ? Values{} : one.arguments.front();
  return one.receiver;
}

bool Analysis::is_module(ValueId id) const {
  const Value& one = value(id);
  return one.role == ir::Role::Module || (one.type != nullptr && one.role == ir::Role::Module);
}

Analysis::Parameters Analysis::parameters_of(const Values& values) const {
  Parameters found;
  found.known = !values.empty();
  std::set<ValueId> seen;
  std::vector<ValueId> open(values.begin(), values.end());
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Value& one = value(id);
    const ir::Op* op = maker(id);
    if (op != nullptr && op->kind == Kind::Parameters) {
      add(found.owners, node(one.def).receiver);
      found.known &= !node(one.def).receiver.empty();
      continue;
    }
    if (is_module(id)) {
      add(found.owners, id);
      continue;
    }
    const bool combines = op != nullptr && (op->kind == Kind::Construct || op->kind == Kind::Pack ||
                                            op->kind == Kind::Call || op->kind == Kind::Arith ||
                                            op->kind == Kind::Index || op->kind == Kind::Unpack ||
                                            op->kind == Kind::Move);
    const bool holds_some = !one.inputs.empty() || !one.contents.empty();
    if (one.form == Value::Form::Element || (combines && holds_some)) {
      open.insert(open.end(), one.inputs.begin(), one.inputs.end());
      open.insert(open.end(), one.contents.begin(), one.contents.end());
      continue;
    }
    if (one.role == ir::Role::Number || one.role == ir::Role::Text) continue;
    // A tensor made here is itself the parameter; a name from outside could be anything.
    add(found.owners, id);
    const bool of_module = one.form == Value::Form::Member && is_module(one.base);
    if (one.form != Value::Form::Result && !of_module) found.known = false;
  }
  found.known &= !found.owners.empty();
  return found;
}

namespace {

// The value, what it is a member of, and what it wraps: DDP(net).module and net are one model.
void relatives(const Analysis& analysis, ValueId id, std::set<ValueId>& up) {
  if (!up.insert(id).second || up.size() > 64) return;
  const Value& one = analysis.value(id);
  if (one.base != kNone) relatives(analysis, one.base, up);
  const ir::Op* op = analysis.maker(id);
  const bool wraps = op != nullptr && (op->kind == Kind::Construct || op->kind == Kind::Call ||
                                       op->kind == Kind::Move);
  if (!wraps) return;
  for (const ValueId input : one.inputs) {
    if (analysis.is_module(input)) relatives(analysis, input, up);
  }
}

bool related(const Analysis& analysis, ValueId a, ValueId b) {
  std::set<ValueId> of_a, of_b;
  relatives(analysis, a, of_a);
  relatives(analysis, b, of_b);
  // A shared ancestor alone is not enough: self.gen and self.critic share self.
  if (of_a.contains(b) || of_b.contains(a)) return true;
  for (const ValueId one : of_a) {
    const bool is_owner = analysis.value(one).form == Value::Form::Name && !analysis.is_module(one);
    if (!is_owner && analysis.is_module(one) && of_b.contains(one) &&
        one != analysis.value(a).base && one != analysis.value(b).base)
      return true;
  }
  return false;
}

}  // namespace

bool Analysis::overlap(const Parameters& a, const Parameters& b) const {
  if (!a.known || !b.known) return true;
  for (const ValueId one : a.owners) {
    for (const ValueId other : b.owners) {
      if (related(*this, one, other)) return true;
    }
  }
  return false;
}

bool Analysis::covers(const Parameters& whole, const Parameters& part) const {
  if (!whole.known || !part.known) return false;
  return std::all_of(part.owners.begin(), part.owners.end(), [&](ValueId one) {
    std::set<ValueId> up;
    relatives(*this, one, up);
    return std::any_of(whole.owners.begin(), whole.owners.end(), [&](ValueId other) {
      return up.contains(other) || related(*this, one, other);
    });
  });
}

bool Analysis::may_touch(NodeId id, const Values& wanted) const {
  const Node& at = node(id);
  const bool unknown_call = at.is(Kind::Call) && !at.expanded && !is_harmless(at.op->callee);
  const bool unknown_scope = at.form == Node::Form::Scope &&
                             at.scope_ir->form == ir::Scope::Form::Other &&
                             !is_harmless(at.scope_ir->callee);
  if (!unknown_call && !unknown_scope) return false;
  Values reached = at.receiver;
  for (const Values& argument : at.arguments) add(reached, argument);
  std::vector<ValueId> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const ValueId from = open.back();
    open.pop_back();
    if (contains(wanted, from)) return true;
    const Value& one = value(from);
    for (const Values* next :
         {&one.holds, &one.contents, &members_[static_cast<std::size_t>(from)]}) {
      for (const ValueId inside : *next) {
        if (add(reached, inside)) open.push_back(inside);
      }
    }
  }
  return false;
}

bool Analysis::escapes(const Values& values) const {
  if (intersect(values, graph_.returned)) return true;
  for (const ValueId returned : graph_.returned) {
    if (intersect(value(returned).contents, values)) return true;
  }
  for (const ValueId one : values) {
    if (value(one).form == Value::Form::Name || value(one).form == Value::Form::Member) return true;
  }
  for (const NodeId use : uses(values)) {
    if (may_touch(use, values)) return true;
  }
  return false;
}

bool Analysis::in_evaluation(NodeId id) const {
  // The modules behind the node, and the last change of mode seen before it in program order.
  const std::vector<NodeId> modes = all({Kind::TrainMode, Kind::EvalMode});
  const Values modules = node(id).receiver;
  bool evaluating = false;
  for (const NodeId mode : modes) {
    if (mode > id) break;
    if (!modules.empty() && !intersect(modules, node(mode).receiver)) continue;
    evaluating =
        node(mode).is(Kind::EvalMode) || literal_argument(*node(mode).op, "mode", 0) == "false";
  }
  return evaluating;
}

}  // namespace forerun::flow
