#include "analyzer/flow/builder.h"

namespace forerun::flow {
namespace {

std::string element_step(const ir::Operand& key) {
  const auto* literal = std::get_if<ir::Literal>(&key);
  return literal == nullptr ? "" : "[" + literal->text + "]";
}

bool same_place(const ir::Op& op) {
  if (op.kind != ir::Kind::Arith || op.arguments.empty() || op.results.size() != 1) return false;
  const auto* first = std::get_if<ir::Place>(&op.arguments.front().value);
  return first != nullptr && *first == op.results.front();
}

}  // namespace

void Builder::visit(const ir::Op& op, Run& run) {
  const NodeId id = enter(&op, Node::Form::Op, op.at, run);
  if (!run.state.reachable) return;
  node(id).op = &op;
  node(id).arguments.resize(op.arguments.size());
  node(id).results.resize(op.results.size());
  if (op.receiver) add(node(id).receiver, read(*op.receiver, run));
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Values given = read(op.arguments[i].value, run);
    add(node(id).arguments[i], given);
  }
  if (expand_operation(op, id, run)) return;
  using ir::Kind;
  switch (op.kind) {
    case Kind::Assign: return results(op, id, {read(op.arguments.front().value, run)}, run);
    case Kind::Pack: return pack(op, id, run);
    case Kind::Unpack: return unpack(op, id, run);
    case Kind::Index: return index(op, id, run);
    case Kind::Store: return store(op, id, run);
    case Kind::Append: return append(op, id, run);
    case Kind::Remove: {
      const Values inside = op.receiver ? elements(read(*op.receiver, run), run) : Values{};
      if (inside.empty() || op.results.empty()) return fresh_results(op, id, run);
      return results(op, id, {inside}, run);
    }
    case Kind::TrainMode:
    case Kind::EvalMode:
    case Kind::RequiresGrad:
    case Kind::TensorInPlace: {
      // The object itself comes back.
      const Values self = op.receiver ? read(*op.receiver, run) : Values{};
      if (op.kind == Kind::TensorInPlace) {
        for (const ValueId changed : self) {
          for (const Values& given : node(id).arguments) add(value(changed).contents, given);
        }
      }
      if (self.empty()) return fresh_results(op, id, run);
      return results(op, id, {self}, run);
    }
    case Kind::HostRead: {  // model.cpu() is the model
      const Values self = op.callee == "cpu" && op.receiver ? read(*op.receiver, run) : Values{};
      if (is_module(self)) return results(op, id, {self}, run);
      return fresh_results(op, id, run);
    }
    case Kind::Move: {
      const Values self = op.receiver ? read(*op.receiver, run) : Values{};
      if (is_module(self) || op.result_role == ir::Role::Module)
        return results(op, id, {self}, run);
      return fresh_results(op, id, run);
    }
    default: return fresh_results(op, id, run);
  }
}

void Builder::results(const ir::Op& op, NodeId id, const std::vector<Values>& values, Run& run) {
  const bool augmented = same_place(op);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const Values& held = i < values.size() ? values[i] : Values{};
    add(node(id).results[i], held);
    write(op.results[i], held, run, augmented);
  }
}

void Builder::fresh_results(const ir::Op& op, NodeId id, Run& run) {
  std::vector<Values> made;
  const std::size_t count = op.results.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Role role =
        op.result_role != ir::Role::Unknown ? op.result_role : role_of(op.results[i]);
    const ValueId result = fresh(id, static_cast<int>(i), role);
    add(value(result).inputs, node(id).receiver);
    for (const Values& given : node(id).arguments) add(value(result).inputs, given);
    if (op.kind == ir::Kind::Construct) {
      for (const Values& given : node(id).arguments) add(value(result).holds, given);
    }
    made.push_back({result});
  }
  results(op, id, made, run);
}

// A container's elements are known from here on, each position of a literal one too.
void Builder::pack(const ir::Op& op, NodeId id, Run& run) {
  if (op.results.empty()) return;
  fresh_results(op, id, run);
  const ValueId container = *node(id).results.front().begin();
  const bool is_dict = op.callee == "dict";
  Values inside;
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ir::Argument& argument = op.arguments[i];
    if (is_dict && i % 2 == 0 && argument.name.empty()) continue;
    Values held = read(argument.value, run);
    if (argument.name == "*") {
      const Values known = elements(held, run);
      if (!known.empty()) held = known;
    }
    add(inside, held);
    const std::string step = is_dict && argument.name.empty()
                                 ? element_step(op.arguments[i - 1].value)
                                 : "[" + std::to_string(i) + "]";
    if (!step.empty()) run.state.set(member_key(container, name(step)), sets_.intern(held));
  }
  run.state.set(member_key(container, name("[]")), sets_.intern(inside));
  add(value(container).contents, inside);
}

void Builder::unpack(const ir::Op& op, NodeId id, Run& run) {
  fresh_results(op, id, run);
  if (op.arguments.empty()) return;
  const Values whole = read(op.arguments.front().value, run);
  if (whole.size() != 1) return;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const int* part =
        run.state.find(member_key(whole.front(), name("[" + std::to_string(i) + "]")));
    if (part == nullptr) continue;
    const Values held = sets_.get(*part);
    add(node(id).results[i], held);
    write(op.results[i], held, run);
  }
}

void Builder::index(const ir::Op& op, NodeId id, Run& run) {
  const Values containers = op.receiver ? read(*op.receiver, run) : Values{};
  Values inside;
  const std::string step = op.arguments.size() == 1 ? element_step(op.arguments.front().value) : "";
  for (const ValueId container : containers) {
    const int* exact = step.empty() ? nullptr : run.state.find(member_key(container, name(step)));
    add(inside, exact != nullptr ? sets_.get(*exact) : elements({container}, run));
  }
  if (inside.empty()) return fresh_results(op, id, run);
  results(op, id, {inside}, run);
}

void Builder::store(const ir::Op& op, NodeId id, Run& run) {
  if (!op.receiver || op.arguments.size() < 2) return fresh_results(op, id, run);
  const Values containers = read(*op.receiver, run);
  const Values held = read(op.arguments[1].value, run);
  const std::string step = element_step(op.arguments[0].value);
  if (!step.empty()) write_member(containers, step, held, run, containers.size() == 1);
  write_member(containers, "[]", held, run, false);
}

void Builder::append(const ir::Op& op, NodeId id, Run& run) {
  const Values containers = op.receiver ? read(*op.receiver, run) : Values{};
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    Values held = read(op.arguments[i].value, run);
    if (op.callee == "extend") {
      const Values known = elements(held, run);
      if (!known.empty()) held = known;
    }
    write_member(containers, "[]", held, run, false);
  }
  if (!op.results.empty()) fresh_results(op, id, run);
}

}  // namespace forerun::flow
