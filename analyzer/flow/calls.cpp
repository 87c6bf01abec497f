#include <algorithm>
#include <unordered_set>

#include "analyzer/flow/builder.h"

namespace forerun::flow {
namespace {

constexpr std::size_t kMaxCallDepth = 12;

// Methods whose name says too little to be looked for in every class of the program.
bool is_common_name(std::string_view name) {
  static const std::unordered_set<std::string_view> common = {
      "add",      "append", "backward", "cat",        "clear",
      "close",    "copy",   "cpu",      "eval",       "extend",
      "forward",  "get",    "init",     "items",      "keys",
      "load",     "log",    "mean",     "next",       "open",
      "pop",      "print",  "read",     "reset",      "run",
      "save",     "set",    "size",     "sort",       "split",
      "start",    "step",   "stop",     "sum",        "to",
      "train",    "update", "write",    "values",     "zero_grad",
      "__init__", "item",   "insert",   "remove",     "send",
      "join",     "main",   "flush",    "state_dict", "load_state_dict"};
  return common.contains(name);
}

}  // namespace

MethodNames method_names(const ir::Op& op) {
  using ir::Kind;
  switch (op.kind) {
    case Kind::Call:
      if (op.callee.empty()) return {{"__call__", "operator()", "forward"}, 3};
      return {{op.callee}, 1};
    case Kind::ZeroGrad: return {{"zero_grad"}, 1};
    case Kind::Step:
    case Kind::SchedulerStep: return {{"step"}, 1};
    case Kind::Backward: return {{"backward"}, 1};
    case Kind::TrainMode: return {{"train"}, 1};
    case Kind::EvalMode: return {{"eval"}, 1};
    case Kind::ClipGrad: return {{op.callee}, 1};
    case Kind::Append:
      return {{op.callee.empty() ? std::string_view("append") : op.callee, "append", "push_back"},
              3};
    case Kind::Loss:
    case Kind::Forward: return {{"forward", "__call__"}, 2};
    default: return {};
  }
}

std::optional<Builder::Callee> Builder::method_of(const Values& receivers, std::string_view method,
                                                  bool guess) {
  Callee callee;
  bool known_type = false;
  for (const ValueId id : receivers) {
    if (value(id).type == nullptr) continue;
    known_type = true;
    const ir::Function* found = names_.method(value(id).type, method);
    if (found == nullptr || (callee.function != nullptr && callee.function != found)) continue;
    callee.function = found;
    add(callee.self, id);
  }
  callee.lexical = 0;
  if (callee.function != nullptr) return callee;
  if (!guess || known_type || is_common_name(method)) return std::nullopt;
  callee.function = names_.only_method(method);
  callee.self = receivers;
  return callee.function == nullptr ? std::nullopt : std::optional(callee);
}

std::optional<Builder::Callee> Builder::resolve(const ir::Op& op, NodeId, Run& run) {
  if (op.receiver) {
    const Values receivers = read(*op.receiver, run);
    if (op.kind == ir::Kind::Call && op.callee.empty()) {
      for (const ValueId id : receivers) {
        if (value(id).form == Value::Form::Function)
          return Callee{value(id).function, {}, value(id).frame};
      }
    }
    for (const std::string_view method : method_names(op)) {
      const bool guess = op.kind == ir::Kind::Call && !op.callee.empty();
      if (auto callee = method_of(receivers, method, guess)) return callee;
    }
    return std::nullopt;
  }
  if (op.kind != ir::Kind::Call || op.callee.empty()) return std::nullopt;
  for (const ValueId id : read_name(op.callee, {op.callee, {}}, run)) {
    if (value(id).form == Value::Form::Function)
      return Callee{value(id).function, {}, value(id).frame};
  }
  const ir::Function* function = names_.function(op.callee, op.arguments.size());
  if (function == nullptr) return std::nullopt;
  return Callee{function, {}, 0};
}

bool Builder::may_expand(const ir::Function& function) const {
  if (!expanding_ || contexts_.size() >= kMaxCallDepth) return false;
  return std::none_of(contexts_.begin(), contexts_.end(), [&](const FrameContext& context) {
    return graph_.frames[static_cast<std::size_t>(context.frame)].function == &function;
  });
}

bool Builder::expand_operation(const ir::Op& op, NodeId id, Run& run) {
  using ir::Kind;
  switch (op.kind) {
    case Kind::Call:
    case Kind::Construct:
      if (!op.receiver) {
        if (const ir::Class* type = names_.type(op.callee))
          return construct(*type, op, id, run), true;
      }
      if (op.kind == Kind::Construct) return false;
      return call(op, id, run), true;
    case Kind::Forward: return forward(op, id, run), true;
    case Kind::Step: {
      const auto own = resolve(op, id, run);
      const bool is_optimizer =
          own && names_.derives(names_.type(own->function->owner), "Optimizer");
      if (own && !is_optimizer && may_expand(*own->function)) {
        node(id).expanded = true;
        return results(op, id, expand(*own, &op, id, run), run), true;
      }
      return step_with_closure(op, id, run), true;
    }
    case Kind::ZeroGrad:
    case Kind::Backward:
    case Kind::SchedulerStep:
    case Kind::TrainMode:
    case Kind::EvalMode:
    case Kind::Append:
    case Kind::Loss: {
      const auto own = resolve(op, id, run);
      if (!own || !may_expand(*own->function)) return false;
      // A class of the program that calls its method zero_grad means what that method does; a loss
      // module is a forward.
      if (op.kind == Kind::Loss) return forward(op, id, run), true;
      if (names_.derives(names_.type(own->function->owner), "Optimizer")) return false;
      node(id).expanded = true;
      results(op, id, expand(*own, &op, id, run), run);
      return true;
    }
    default: return false;
  }
}

void Builder::call(const ir::Op& op, NodeId id, Run& run) {
  const bool sets_mode = op.callee == "set_grad_enabled" ||
                         (op.callee == "set_enabled" && op.details.contains("spelling") &&
                          op.details.at("spelling").find("GradMode") != std::string::npos);
  if (sets_mode && op.arguments.size() == 1) {
    const auto* constant = std::get_if<ir::Literal>(&op.arguments.front().value);
    run.state.grad = constant == nullptr         ? Grad::Unknown
                     : constant->text == "false" ? Grad::Off
                                                 : Grad::On;
  }
  const auto callee = resolve(op, id, run);
  if (!callee || !may_expand(*callee->function)) return unknown_call(op, id, run);
  node(id).expanded = true;
  results(op, id, expand(*callee, &op, id, run), run);
}

// An instance remembers its class, and its constructor runs.
void Builder::construct(const ir::Class& type, const ir::Op& op, NodeId id, Run& run) {
  const ir::Role role = names_.is_module(&type) ? ir::Role::Module : op.result_role;
  const ValueId instance = fresh(id, 0, role);
  value(instance).type = &type;
  for (const Values& given : node(id).arguments) {
    add(value(instance).inputs, given);
    add(value(instance).holds, given);
  }
  const ir::Function* constructor = names_.method(&type, "__init__");
  if (constructor != nullptr && may_expand(*constructor)) {
    node(id).expanded = true;
    expand({constructor, {instance}, 0}, &op, id, run);
  }
  if (run.state.reachable) results(op, id, {{instance}}, run);
}

// The call of a module stays what it is; what its forward does follows it, and its result comes
// from there too.
void Builder::forward(const ir::Op& op, NodeId id, Run& run) {
  const auto callee = resolve(op, id, run);
  if (!callee || !may_expand(*callee->function)) return fresh_results(op, id, run);
  const std::vector<Values> inner = expand(*callee, &op, id, run);
  if (!run.state.reachable) return;
  fresh_results(op, id, run);
  for (std::size_t i = 0; i < node(id).results.size(); ++i) {
    for (const ValueId result : node(id).results[i]) {
      for (std::size_t j = 0; j < inner.size(); ++j) {
        const bool told_apart = inner.size() == node(id).results.size();
        if (!told_apart || i == j) add(value(result).inputs, inner[j]);
      }
    }
  }
}

// An optimizer runs the closure it is given, as often as it likes, before it steps.
void Builder::step_with_closure(const ir::Op& op, NodeId id, Run& run) {
  callbacks(id, run);
  if (run.state.reachable) fresh_results(op, id, run);
}

void Builder::unknown_call(const ir::Op& op, NodeId id, Run& run) {
  callbacks(id, run);
  if (!run.state.reachable) return;
  fresh_results(op, id, run);
  // Whatever was handed over may be kept by what came back and by the object that was called.
  Values given = node(id).receiver;
  for (const Values& argument : node(id).arguments) add(given, argument);
  for (const Values& made : node(id).results) {
    for (const ValueId result : made) add(value(result).holds, given);
  }
  for (const ValueId receiver : node(id).receiver) {
    for (const Values& argument : node(id).arguments) add(value(receiver).holds, argument);
  }
}

// Functions handed to something unknown are run as if it called them any number of times.
void Builder::callbacks(NodeId id, Run& run) {
  std::vector<Callee> handed;
  for (const Values& argument : node(id).arguments) {
    for (const ValueId given : argument) {
      const Value& one = value(given);
      if (one.form == Value::Form::Function && may_expand(*one.function))
        handed.push_back({one.function, {}, one.frame});
    }
  }
  for (const Callee& callee : handed) {
    const auto [found, is_new] = loop_ids_.try_emplace({frame_id(), callee.function},
                                                       static_cast<LoopId>(graph_.loops.size()));
    if (is_new)
      graph_.loops.push_back({nullptr, true, loop_stack_.empty() ? kNone : loop_stack_.back(),
                              frame_id(), kNone, kNone, node(id).at});
    repeat(
        found->second, nullptr, run, [](NodeId, Run&) {},
        [&](Run& inside) { expand(callee, nullptr, id, inside); });
    if (!run.state.reachable) return;
  }
}

FrameId Builder::frame_for(NodeId call, const Callee& callee) {
  const auto [found, is_new] =
      frame_ids_.try_emplace({call, callee.function}, static_cast<FrameId>(graph_.frames.size()));
  if (is_new) graph_.frames.push_back({callee.function, frame_id(), call, callee.lexical});
  return found->second;
}

std::vector<Values> Builder::expand(const Callee& callee, const ir::Op* op, NodeId id, Run& run) {
  expanded_.insert(callee.function);
  const FrameId inner = frame_for(id, callee);
  bind(callee, op, inner, id, run);
  contexts_.push_back({inner, dead(), {}, {}, false, {}});
  block(callee.function->body, run);
  FrameContext context = std::move(contexts_.back());
  contexts_.pop_back();
  if (run.state.reachable) context.returned.push_back({});
  merge(run, context.returns);
  if (!run.state.reachable) return {};
  std::vector<Values> values = returned(context, op, id, run);
  const bool captured = std::any_of(callee.function->body.begin(), callee.function->body.end(),
                                    [](const ir::Node& statement) {
                                      return std::holds_alternative<ir::Define>(statement.value);
                                    });
  if (!captured) run.state.drop_names(inner);
  return values;
}

void Builder::bind(const Callee& callee, const ir::Op* op, FrameId inner, NodeId id, Run& run) {
  auto set = [&](const std::string& parameter, const Values& values) {
    run.state.set(name_key(inner, name(parameter)), sets_.intern(values));
  };
  if (!callee.self.empty()) set("self", callee.self);
  const std::vector<std::string>& parameters = callee.function->parameters;
  std::vector<bool> bound(parameters.size(), false);
  std::size_t next = 0;
  for (std::size_t i = 0; op != nullptr && i < op->arguments.size(); ++i) {
    const ir::Argument& argument = op->arguments[i];
    Values given = read(argument.value, run);
    // A text names a phase or a mode (mode="train"), as true and false do (training=False): the
    // callee's conditions ask for it.
    const auto* text = std::get_if<ir::Literal>(&argument.value);
    if (text != nullptr && text->text.starts_with('"'))
      given = {named(kNone, text->text, ir::Role::Text)};
    if (text != nullptr && is_truth(text->text))
      given = {named(kNone, text->text, ir::Role::Number)};
    if (argument.name == "*" || argument.name == "**") continue;
    std::size_t at = next;
    if (!argument.name.empty()) {
      at = static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), argument.name) -
                                    parameters.begin());
    } else if (next < parameters.size() && parameters[next].front() != '*') {
      ++next;
    } else {
      continue;
    }
    if (at >= parameters.size()) continue;
    bound[at] = true;
    set(parameters[at], given);
  }
  (void)id;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i]) continue;
    std::string bare = parameters[i];
    while (!bare.empty() && bare.front() == '*') bare.erase(0, 1);
    const auto role = callee.function->roles.find({bare, {}});
    set(bare, {named(inner, bare,
                     role == callee.function->roles.end() ? ir::Role::Unknown : role->second)});
  }
}

std::vector<Values> Builder::returned(const FrameContext& context, const ir::Op* op, NodeId id,
                                      Run& run) {
  const std::size_t wanted = op == nullptr ? 0 : op->results.size();
  if (context.yields && wanted > 0) {
    const ValueId generator = fresh(id, 0, ir::Role::Container);
    run.state.set(member_key(generator, name("[]")), sets_.intern(context.yielded));
    add(value(generator).contents, context.yielded);
    return {{generator}};
  }
  std::vector<Values> values(wanted);
  for (const std::vector<Values>& one : context.returned) {
    if (one.size() == wanted) {
      for (std::size_t i = 0; i < wanted; ++i) add(values[i], one[i]);
      continue;
    }
    if (wanted == 1 && one.size() > 1) {  // a tuple kept whole
      const ValueId tuple = fresh(id, 0, ir::Role::Container);
      Values inside;
      for (std::size_t i = 0; i < one.size(); ++i) {
        run.state.set(member_key(tuple, name("[" + std::to_string(i) + "]")), sets_.intern(one[i]));
        add(inside, one[i]);
      }
      run.state.set(member_key(tuple, name("[]")), sets_.intern(inside));
      add(value(tuple).contents, inside);
      add(values[0], tuple);
      continue;
    }
    if (one.size() != 1) continue;
    for (std::size_t i = 0; i < wanted; ++i) {  // a tuple made elsewhere, taken apart
      for (const ValueId whole : one[0]) {
        const int* part = run.state.find(member_key(whole, name("[" + std::to_string(i) + "]")));
        if (part != nullptr) {
          add(values[i], sets_.get(*part));
          continue;
        }
        const ValueId element = fresh(id, static_cast<int>(i), ir::Role::Unknown);
        add(value(element).inputs, whole);
        add(values[i], element);
      }
    }
  }
  return values;
}

}  // namespace forerun::flow
