#include <algorithm>

#include "analyzer/flow/builder.h"

namespace forerun::flow {
namespace {

constexpr std::size_t kMaxNodes = 20000;
constexpr long kMaxVisits = 400000;  // of one entry point; loops are run more than once
constexpr int kMaxPasses = 6;        // over one loop before its state is taken as it is

const std::string* literal(const ir::Operand& operand) {
  const auto* text = std::get_if<ir::Literal>(&operand);
  return text == nullptr ? nullptr : &text->text;
}

Grad grad_of(const ir::Scope& scope) {
  using Form = ir::Scope::Form;
  const std::string* first =
      scope.arguments.empty() ? nullptr : literal(scope.arguments.front().value);
  switch (scope.form) {
    case Form::NoGrad: return Grad::Off;
    case Form::EnableGrad: return Grad::On;
    case Form::InferenceMode:
      if (scope.arguments.empty() || (first != nullptr && *first == "true")) return Grad::Off;
      return first != nullptr && *first == "false" ? Grad::On : Grad::Unknown;
    case Form::SetGradEnabled:
      if (first == nullptr) return Grad::Unknown;
      return *first == "false" ? Grad::Off : Grad::On;
    default: return Grad::Unknown;
  }
}

bool sets_grad(const ir::Scope& scope) {
  return scope.form != ir::Scope::Form::Autocast && scope.form != ir::Scope::Form::Other;
}

}  // namespace

Builder::Run Builder::dead() const {
  Run run;
  run.state.reachable = false;
  return run;
}

void Builder::merge(Run& into, const Run& other) {
  if (!other.state.reachable) return;
  into.state.join(other.state, sets_, [this](Key key) {
    return sets_.intern({member_on_entry(base_of(key), step_of(key))});
  });
  for (const Pending& one : other.from) {
    const bool known = std::any_of(into.from.begin(), into.from.end(), [&](const Pending& p) {
      return p.node == one.node && p.taken == one.taken && p.skips_loop == one.skips_loop;
    });
    if (!known) into.from.push_back(one);
  }
}

Grad Builder::grad(const Run& run) const {
  return grad_stack_.empty() ? run.state.grad : grad_stack_.back();
}

NodeId Builder::enter(const void* what, Node::Form form, const Location& at, Run& run) {
  const Occurrence key{frame_id(), what, static_cast<int>(form)};
  const auto [found, is_new] = node_ids_.try_emplace(key, static_cast<NodeId>(graph_.nodes.size()));
  const NodeId id = found->second;
  if (is_new) {
    Node made;
    made.form = form;
    made.at = at;
    made.frame = frame_id();
    made.loop = loop_stack_.empty() ? kNone : loop_stack_.back();
    made.scope = scope_stack_.empty() ? kNone : scope_stack_.back();
    made.grad = grad(run);
    made.prelude = prelude_;
    graph_.nodes.push_back(std::move(made));
  }
  if (node(id).grad != grad(run)) node(id).grad = Grad::Unknown;
  connect(id, run.from);
  run.from = {{id, 0, false}};
  if (++visits_ > kMaxVisits || graph_.nodes.size() > kMaxNodes) {
    graph_.whole = false;
    run = dead();
  }
  return id;
}

void Builder::connect(NodeId to, const std::vector<Pending>& from) {
  for (const Pending& pending : from) {
    std::vector<Edge>& edges = node(pending.node).next;
    const bool known = std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
      return edge.to == to && edge.taken == pending.taken && edge.skips_loop == pending.skips_loop;
    });
    if (!known) edges.push_back({to, pending.taken, pending.skips_loop});
  }
}

void Builder::block(const ir::Block& block, Run& run) {
  for (const ir::Node& statement : block) {
    if (!run.state.reachable) return;
    std::visit([&](const auto& value) { visit(value, run); }, statement.value);
  }
}

void Builder::bind_targets(NodeId head, const ir::Loop& loop, Run& run) {
  if (loop.iterable) add(node(head).receiver, read(*loop.iterable, run));
  const Values iterated = node(head).receiver;
  const Values known = loop.form == ir::Loop::Form::Each ? elements(iterated, run) : Values{};
  const bool one_target = loop.targets.size() == 1;
  for (std::size_t i = 0; i < loop.targets.size(); ++i) {
    if (one_target && !known.empty()) {
      write(loop.targets[i], known, run);
      continue;
    }
    const ir::Role role =
        loop.form == ir::Loop::Form::Counted ? ir::Role::Number : role_of(loop.targets[i]);
    const ValueId target = fresh(head, static_cast<int>(i), role);
    value(target).form = Value::Form::Element;
    add(value(target).inputs, iterated);
    write(loop.targets[i], {target}, run);
  }
}

void Builder::repeat(LoopId id, const ir::Loop* source, Run& run,
                     const std::function<void(NodeId, Run&)>& start,
                     const std::function<void(Run&)>& body) {
  const void* key =
      source != nullptr
          ? static_cast<const void*>(source)
          : reinterpret_cast<const void*>(std::uintptr_t{1} + static_cast<std::uintptr_t>(id) * 2);
  const Location at = graph_.loops[static_cast<std::size_t>(id)].at;
  loop_stack_.push_back(id);
  frame().loops.push_back({id, dead(), dead()});
  const std::size_t depth = frame().loops.size() - 1;
  const std::size_t context = contexts_.size() - 1;
  auto here = [&]() -> LoopContext& { return contexts_[context].loops[depth]; };

  Run leaving = dead();
  Run head_run = run;
  NodeId head = kNone, latch = kNone;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    Run pass_run = head_run;
    head = enter(key, Node::Form::Head, at, pass_run);
    node(head).loop_ir = source;
    graph_.loops[static_cast<std::size_t>(id)].head = head;
    if (!pass_run.state.reachable) break;
    start(head, pass_run);
    const bool conditional = source != nullptr && source->form == ir::Loop::Form::While;
    if (conditional) {
      block(source->head, pass_run);
      const std::string* constant = source->condition ? literal(*source->condition) : nullptr;
      if (source->condition && constant == nullptr && pass_run.state.reachable) {
        const NodeId test = enter(source, Node::Form::Branch, at, pass_run);
        node(test).condition = &*source->condition;
        add(node(test).receiver, read(*source->condition, pass_run));
        Run out = pass_run;
        out.from = {{test, -1, true}};
        merge(leaving, out);
        pass_run.from = {{test, 1, false}};
      }
    } else {
      Run out = pass_run;
      out.from = {{head, 0, true}};
      merge(leaving, out);
    }
    body(pass_run);
    merge(pass_run, here().continues);
    here().continues = dead();
    if (!pass_run.state.reachable) break;
    latch = enter(key, Node::Form::Latch, at, pass_run);
    node(latch).loop_ir = source;
    graph_.loops[static_cast<std::size_t>(id)].latch = latch;
    if (!pass_run.state.reachable) break;
    connect(head, {{latch, 0, false}});
    const bool endless =
        conditional && (!source->condition || literal(*source->condition) != nullptr);
    if (!endless) {
      Run out = pass_run;
      out.from = {{latch, 0, false}};
      merge(leaving, out);
    }
    State before = head_run.state;
    Run back = pass_run;
    back.from.clear();
    merge(head_run, back);
    if (head_run.state == before) break;
  }
  loop_stack_.pop_back();
  const Run breaks = here().breaks;
  frame().loops.pop_back();
  run = std::move(leaving);
  if (source != nullptr && !source->otherwise.empty()) block(source->otherwise, run);
  merge(run, breaks);
}

void Builder::visit(const ir::Loop& loop, Run& run) {
  const auto [found, is_new] =
      loop_ids_.try_emplace({frame_id(), &loop}, static_cast<LoopId>(graph_.loops.size()));
  if (is_new)
    graph_.loops.push_back({&loop, false, loop_stack_.empty() ? kNone : loop_stack_.back(),
                            frame_id(), kNone, kNone, loop.at});
  repeat(
      found->second, &loop, run,
      [&](NodeId head, Run& at_head) { bind_targets(head, loop, at_head); },
      [&](Run& in_body) { block(loop.body, in_body); });
}

// `training` where the caller passes False; `stage == TRAIN` where stage was given TRAIN: both
// sides are the same object. Depth: `a = not a` in a loop is made of itself.
std::optional<bool> Builder::settled(const Values& condition, int depth) const {
  if (condition.size() != 1 || depth > 8) return std::nullopt;
  const Value& one = value(condition.front());
  if (one.form == Value::Form::Name && one.frame == kNone && is_truth(one.step))
    return one.step == "true";
  if (one.form != Value::Form::Result || one.def == kNone) return std::nullopt;
  const Node& made = graph_.nodes[static_cast<std::size_t>(one.def)];
  if (!made.is(ir::Kind::Arith) || made.arguments.empty()) return std::nullopt;
  if (made.op->callee == "not") {
    const auto inner = settled(made.arguments[0], depth + 1);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (made.op->callee == "or" || made.op->callee == "and") {
    const bool decides = made.op->callee == "or";  // one such side is enough
    bool all = true;
    for (const Values& part : made.arguments) {
      const auto side = settled(part, depth + 1);
      if (side && *side == decides) return decides;
      all = all && side.has_value();
    }
    return all ? std::optional(!decides) : std::nullopt;
  }
  const bool equal = made.op->callee == "eq" || made.op->callee == "is";
  const bool differs = made.op->callee == "ne" || made.op->callee == "is_not";
  if ((!equal && !differs) || made.arguments.size() != 2) return std::nullopt;
  const auto* text = std::get_if<ir::Literal>(&made.op->arguments[1].value);
  if (text != nullptr && text->text.starts_with('"') && made.arguments[0].size() == 1) {
    const Value& given = value(made.arguments[0].front());
    if (given.form != Value::Form::Name || !given.step.starts_with('"')) return std::nullopt;
    return (given.step == text->text) == equal;
  }
  if (made.arguments[0].size() != 1 || made.arguments[0] != made.arguments[1]) return std::nullopt;
  return equal;
}

void Builder::visit(const ir::Branch& branch, Run& run) {
  const NodeId id = enter(&branch, Node::Form::Branch, branch.at, run);
  if (!run.state.reachable) return;
  node(id).branch = &branch;
  node(id).condition = &branch.condition;
  add(node(id).receiver, read(branch.condition, run));
  const std::string* constant = literal(branch.condition);
  Run held = run, other = run;
  held.from = {{id, 1, false}};
  other.from = {{id, -1, false}};
  if (constant != nullptr && (*constant == "false" || *constant == "none" || *constant == "0"))
    held = dead();
  else if (constant != nullptr)
    other = dead();
  if (const auto known = settled(node(id).receiver)) (*known ? other : held) = dead();
  block(branch.then_body, held);
  block(branch.else_body, other);
  merge(held, other);
  run = std::move(held);
}

void Builder::visit(const ir::Scope& scope, Run& run) {
  const NodeId id = enter(&scope, Node::Form::Scope, scope.at, run);
  if (!run.state.reachable) return;
  node(id).scope_ir = &scope;
  node(id).arguments.resize(scope.arguments.size());
  Values given;
  for (std::size_t i = 0; i < scope.arguments.size(); ++i) {
    add(node(id).arguments[i], read(scope.arguments[i].value, run));
    add(given, node(id).arguments[i]);
  }
  if (scope.target) {
    const ValueId target = fresh(id, 0, role_of(*scope.target));
    add(value(target).inputs, given);
    write(*scope.target, {target}, run);
  }
  const auto [found, is_new] =
      scope_ids_.try_emplace({frame_id(), &scope}, static_cast<int>(graph_.scopes.size()));
  if (is_new)
    graph_.scopes.push_back({&scope, scope_stack_.empty() ? kNone : scope_stack_.back(), id});
  scope_stack_.push_back(found->second);
  if (sets_grad(scope)) grad_stack_.push_back(grad_of(scope));
  block(scope.body, run);
  if (sets_grad(scope)) grad_stack_.pop_back();
  scope_stack_.pop_back();
}

// Anything in a try body may throw: its handlers start from what held before it, after it, or at a
// raise inside it.
void Builder::visit(const ir::Try& attempt, Run& run) {
  const Run before = run;
  Run raised = dead();
  raised_.push_back(&raised);
  block(attempt.body, run);
  raised_.pop_back();
  Run thrown = before;
  merge(thrown, run);
  merge(thrown, raised);
  if (run.state.reachable) block(attempt.otherwise, run);
  for (const ir::Block& handler : attempt.handlers) {
    Run handled = thrown;
    block(handler, handled);
    merge(run, handled);
  }
  if (attempt.finally.empty()) return;
  const bool ends = !run.state.reachable;
  if (ends) run = thrown;
  block(attempt.finally, run);
  if (ends) run = dead();
}

void Builder::visit(const ir::Jump& jump, Run& run) {
  const NodeId id = enter(&jump, Node::Form::Jump, jump.at, run);
  if (!run.state.reachable) return;
  node(id).jump = &jump;
  node(id).arguments.resize(jump.values.size());
  std::vector<Values> values;
  for (std::size_t i = 0; i < jump.values.size(); ++i) {
    values.push_back(read(jump.values[i], run));
    add(node(id).arguments[i], values.back());
  }
  switch (jump.form) {
    case ir::Jump::Form::Return:
      frame().returned.push_back(std::move(values));
      merge(frame().returns, run);
      break;
    case ir::Jump::Form::Break:
      if (!frame().loops.empty()) merge(frame().loops.back().breaks, run);
      break;
    case ir::Jump::Form::Continue:
      if (!frame().loops.empty()) merge(frame().loops.back().continues, run);
      break;
    case ir::Jump::Form::Raise:
      if (!raised_.empty()) merge(*raised_.back(), run);
      break;
    case ir::Jump::Form::Yield:
      frame().yields = true;
      for (const Values& one : values) add(frame().yielded, one);
      return;
  }
  run = dead();
}

void Builder::visit(const ir::Define& define, Run& run) {
  const ValueId function = function_value(*define.function, frame_id());
  run.state.set(name_key(frame_id(), name(define.function->name)), sets_.intern({function}));
}

}  // namespace forerun::flow
