#include "analyzer/flow/builder.h"

namespace forerun::flow {

std::size_t Builder::OccurrenceHash::operator()(const Occurrence& one) const {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(one.what);
  hash ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(one.of)) << 32;
  hash = (hash ^ static_cast<std::uint64_t>(one.form)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

ValueId Builder::fresh(NodeId def, int index, ir::Role role) {
  const auto [found, is_new] =
      result_ids_.try_emplace(name_key(def, index), static_cast<ValueId>(graph_.values.size()));
  if (is_new) {
    Value made;
    made.def = def;
    made.index = index;
    made.role = role;
    made.loop = node(def).loop;
    graph_.values.push_back(std::move(made));
  }
  return found->second;
}

ValueId Builder::named(FrameId owner, int name) {
  const auto [found, is_new] =
      name_ids_.try_emplace(name_key(owner, name), static_cast<ValueId>(graph_.values.size()));
  if (is_new) {
    Value made;
    made.form = Value::Form::Name;
    made.step = texts_.text(name);
    made.frame = owner;
    graph_.values.push_back(std::move(made));
  }
  return found->second;
}

ValueId Builder::named(FrameId owner, const std::string& text, ir::Role role) {
  const ValueId id = named(owner, name(text));
  if (value(id).role == ir::Role::Unknown) value(id).role = role;
  return id;
}

ValueId Builder::member_on_entry(ValueId base, int step) {
  const auto [found, is_new] =
      member_ids_.try_emplace(name_key(base, step), static_cast<ValueId>(graph_.values.size()));
  if (is_new) {
    Value made;
    made.form = Value::Form::Member;
    made.base = base;
    made.step = texts_.text(step);
    made.loop = value(base).loop;
    made.inputs = {base};
    graph_.values.push_back(std::move(made));
  }
  return found->second;
}

ValueId Builder::function_value(const ir::Function& function, FrameId owner) {
  const auto [found, is_new] =
      function_ids_.try_emplace({owner, &function}, static_cast<ValueId>(graph_.values.size()));
  if (is_new) {
    Value made;
    made.form = Value::Form::Function;
    made.function = &function;
    made.frame = owner;
    graph_.values.push_back(std::move(made));
  }
  return found->second;
}

ir::Role Builder::role_of(const ir::Place& place) const {
  const ir::Function* function = graph_.frames[static_cast<std::size_t>(frame_id())].function;
  if (function == nullptr) return ir::Role::Unknown;
  if (const auto found = function->roles.find(place); found != function->roles.end())
    return found->second;
  if (place.root != "self") return ir::Role::Unknown;
  const ir::Class* type = names_.type(function->owner);
  if (type == nullptr) return ir::Role::Unknown;
  const auto found = type->members.find(place);
  return found == type->members.end() ? ir::Role::Unknown : found->second;
}

bool Builder::is_module(const Values& values) const {
  for (const ValueId id : values) {
    if (value(id).role == ir::Role::Module || names_.is_module(value(id).type)) return true;
  }
  return false;
}

Values Builder::read(const ir::Operand& operand, Run& run) {
  if (const auto* place = std::get_if<ir::Place>(&operand)) return read(*place, run);
  const auto* reference = std::get_if<ir::FunctionReference>(&operand);
  if (reference == nullptr) return {};
  const ir::Place as_place{reference->name, {}};
  const Values bound = read_name(reference->name, as_place, run);
  for (const ValueId id : bound) {
    if (value(id).form == Value::Form::Function) return bound;
  }
  // &self.method and &function: functions of the program itself.
  const auto dot = reference->name.rfind('.');
  if (dot != std::string::npos && reference->name.substr(0, 5) == "self.") {
    const auto callee =
        method_of(read_name("self", {"self", {}}, run), reference->name.substr(dot + 1), false);
    if (callee) return {function_value(*callee->function, frame_id())};
  }
  const ir::Function* function = names_.function(reference->name, 0);
  return function == nullptr ? Values{} : Values{function_value(*function, 0)};
}

Values Builder::read(const ir::Place& place, Run& run) {
  Values found = read_name(place.root, place, run);
  ir::Place so_far{place.root, {}};
  for (const std::string& step : place.steps) {
    so_far.steps.push_back(step);
    Values next;
    const int number = name(step);
    for (const ValueId base : found) add(next, member(base, number, so_far, run));
    found = std::move(next);
  }
  return found;
}

// A frame's own names, those of the functions it is nested in, module level; else the name is from
// outside.
Values Builder::read_name(const std::string& root, const ir::Place& place, Run& run) {
  const int number = name(root);
  for (FrameId at = frame_id(); at != kNone;
       at = graph_.frames[static_cast<std::size_t>(at)].lexical) {
    if (const int* set = run.state.find(name_key(at, number))) return sets_.get(*set);
  }
  if (!root.empty() && root.front() == '%') return {};
  const ValueId outside = named(kNone, number);
  if (value(outside).role == ir::Role::Unknown)
    value(outside).role = place.steps.empty() ? role_of(place) : role_of({place.root, {}});
  return {outside};
}

Values Builder::member(ValueId base, int step, const ir::Place& place, Run& run) {
  const int* set = run.state.find(member_key(base, step));
  if (set != nullptr && !(texts_.text(step) == "[]" && sets_.get(*set).empty()))
    return sets_.get(*set);
  const ValueId on_entry = member_on_entry(base, step);
  if (value(on_entry).role == ir::Role::Unknown) value(on_entry).role = role_of(place);
  return {on_entry};
}

// What is known to be inside; nothing when that is not known.
Values Builder::elements(const Values& containers, Run& run) {
  Values inside;
  for (const ValueId container : containers) {
    const int* set = run.state.find(member_key(container, name("[]")));
    if (set != nullptr) add(inside, sets_.get(*set));
  }
  return inside;
}

void Builder::write(const ir::Place& place, const Values& values, Run& run, bool augmented) {
  if (!place.steps.empty()) {
    ir::Place base = place;
    const std::string step = base.steps.back();
    base.steps.pop_back();
    const Values bases = read(base, run);
    write_member(bases, step, values, run, bases.size() == 1 && step != "[]");
    return;
  }
  // A lambda that captures by reference writes the variable around it; so does Python's nonlocal,
  // of which only `+=` on a name that is not local tells.
  FrameId owner = frame_id();
  const bool reaches_out = program_.language == ir::Language::Cpp || augmented;
  if (reaches_out && run.state.find(name_key(owner, name(place.root))) == nullptr) {
    for (FrameId at = owner; at != kNone;
         at = graph_.frames[static_cast<std::size_t>(at)].lexical) {
      if (run.state.find(name_key(at, name(place.root))) == nullptr) continue;
      owner = at;
      break;
    }
  }
  run.state.set(name_key(owner, name(place.root)), sets_.intern(values));
}

void Builder::write_member(const Values& bases, const std::string& step, const Values& values,
                           Run& run, bool strong) {
  const int number = name(step);
  for (const ValueId base : bases) {
    const Key key = member_key(base, number);
    const int* before = run.state.find(key);
    int set = sets_.intern(values);
    if (!strong)
      set = sets_.united(
          set, before != nullptr ? *before : sets_.intern({member_on_entry(base, number)}));
    run.state.set(key, set);
    add(step.starts_with('[') ? value(base).contents : value(base).holds, values);
  }
}

}  // namespace forerun::flow
