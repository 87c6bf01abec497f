#include <algorithm>
#include <utility>

#include "analyzer/flow/builder.h"
#include "analyzer/ir/walk.h"

namespace forerun::flow {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

Names::Names(const ir::Program& program) {
  for (const ir::Class& type : program.classes) classes_.emplace(type.name, &type);
  for (const ir::Function& function : program.functions) {
    if (function.owner.empty()) {
      functions_[function.name].push_back(&function);
    } else {
      methods_[last_part(function.name)].push_back(&function);
    }
  }
}

const ir::Class* Names::type(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : found->second;
}

const ir::Function* Names::method(const ir::Class* type, std::string_view name) const {
  const auto named = methods_.find(name);
  if (named == methods_.end()) return nullptr;
  for (int depth = 0; type != nullptr && depth < 8; ++depth) {
    for (const ir::Function* function : named->second) {
      if (function->owner == type->name) return function;
    }
    const ir::Class* base = nullptr;
    for (const std::string& one : type->bases) {
      if (base == nullptr) base = this->type(last_part(one));
    }
    type = base == type ? nullptr : base;
  }
  return nullptr;
}

const ir::Function* Names::only_method(std::string_view name) const {
  const auto found = methods_.find(name);
  return found != methods_.end() && found->second.size() == 1 ? found->second.front() : nullptr;
}

const ir::Function* Names::function(std::string_view name, std::size_t arguments) const {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return nullptr;
  const ir::Function* best = nullptr;
  for (const ir::Function* one : found->second) {
    auto misfit = [&](const ir::Function* f) {
      return f->parameters.size() > arguments ? f->parameters.size() - arguments
                                              : arguments - f->parameters.size();
    };
    if (best == nullptr || misfit(one) < misfit(best)) best = one;
  }
  return best;
}

bool Names::derives(const ir::Class* type, std::string_view suffix) const {
  for (int depth = 0; type != nullptr && depth < 8; ++depth) {
    const ir::Class* base = nullptr;
    for (const std::string& one : type->bases) {
      const std::string_view last = last_part(one);
      if (last.ends_with(suffix)) return true;
      if (base == nullptr) base = this->type(last);
    }
    type = base == type ? nullptr : base;
  }
  return false;
}

bool Names::is_module(const ir::Class* type) const {
  return type != nullptr && derives(type, "Module");
}

Builder::Builder(const ir::Program& program, const Names& names,
                 std::set<const ir::Function*>& expanded)
    : program_(program), names_(names), expanded_(expanded) {
  name("[]");
}

// Module level and, for a method, its class's constructor come first: they give names and members
// their values.
void Builder::prelude(const ir::Function& root, Run& run, Callee& callee) {
  const ir::Function* module = names_.function("<module>", 0);
  graph_.frames.push_back({module, kNone, kNone, kNone});
  contexts_.push_back({0, dead(), {}, {}, false, {}});
  prelude_ = true;
  if (module != nullptr && module != &root) {
    expanding_ = false;
    block(module->body, run);
    merge(run, contexts_.back().returns);
    expanding_ = true;
    if (!run.state.reachable) run = Run{};
  }
  if (const ir::Class* type = names_.type(root.owner)) {
    const ValueId self =
        named(0, "self", names_.is_module(type) ? ir::Role::Module : ir::Role::Other);
    value(self).type = type;
    callee.self = {self};
    const ir::Function* constructor = names_.method(type, "__init__");
    if (constructor != nullptr && constructor != &root) {
      const Location at = constructor->at;
      const NodeId entry = enter(constructor, Node::Form::Entry, at, run);
      expand({constructor, {self}, 0}, nullptr, entry, run);
      if (!run.state.reachable) run = Run{};
    }
  }
  prelude_ = false;
  run.from.clear();
  run.state.grad = Grad::On;
}

Graph Builder::run(const ir::Function& root) {
  graph_.program = &program_;
  graph_.root = &root;
  Run run;
  Callee callee{&root, {}, 0};
  prelude(root, run, callee);
  expanded_.insert(&root);
  const NodeId entry = enter(&root, Node::Form::Entry, root.at, run);
  if (root.name == "<module>" && root.owner.empty()) {
    block(root.body, run);
  } else {
    const FrameId inner = frame_for(entry, callee);
    bind(callee, nullptr, inner, entry, run);
    contexts_.push_back({inner, dead(), {}, {}, false, {}});
    block(root.body, run);
    merge(run, contexts_.back().returns);
    for (const std::vector<Values>& one : contexts_.back().returned) {
      for (const Values& values : one) add(graph_.returned, values);
    }
    contexts_.pop_back();
  }
  if (run.state.reachable) enter(&root, Node::Form::Exit, root.at, run);
  contexts_.clear();
  return std::move(graph_);
}

bool Graph::loop_in(LoopId inner, LoopId outer) const {
  for (; inner != kNone; inner = loops[static_cast<std::size_t>(inner)].parent) {
    if (inner == outer) return true;
  }
  return false;
}

bool Graph::in(LoopId loop, NodeId node) const {
  return loop_in(nodes[static_cast<std::size_t>(node)].loop, loop);
}

bool Graph::in_frame(FrameId frame, NodeId node) const {
  for (FrameId at = nodes[static_cast<std::size_t>(node)].frame; at != kNone;
       at = frames[static_cast<std::size_t>(at)].caller) {
    if (at == frame) return true;
  }
  return false;
}

Graph build(const ir::Program& program, const ir::Function& root) {
  const Names names(program);
  std::set<const ir::Function*> expanded;
  return Builder(program, names, expanded).run(root);
}

// The roots are the same whichever of them are wanted: a function that only an unwanted one expands
// reaches no more than that, so that it is not wanted either.
void build(const ir::Program& program, const Reach& reach, const Wanted& wanted,
           const std::function<void(Graph)>& take) {
  const Names names(program);
  std::set<const ir::Function*> expanded;
  auto add_root = [&](const ir::Function& function) {
    if (expanded.contains(&function) || !wanted(reach.of(function))) return;
    take(Builder(program, names, expanded).run(function));
  };
  for (const ir::Function& function : program.functions) {
    if (function.name == "<module>") add_root(function);
  }
  for (const ir::Function& function : program.functions) {
    const std::string_view last = last_part(function.name);
    if (!reach.mentions(last) && last != "__init__") add_root(function);
  }
  for (const ir::Function& function : program.functions) add_root(function);
  for (const ir::Function* function : reach.nested()) add_root(*function);
}

std::vector<Graph> build(const ir::Program& program) {
  std::vector<Graph> graphs;
  build(
      program, Reach(program, {}), [](const Reached&) { return true; },
      [&](Graph graph) { graphs.push_back(std::move(graph)); });
  return graphs;
}

}  // namespace forerun::flow
