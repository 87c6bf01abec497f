#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "analyzer/flow/builder.h"
#include "analyzer/ir/walk.h"

namespace forerun::flow {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

Names::Names(const ir::Program& program) {
  enter(program.classes, program.functions);
  enter(program.linked.classes, program.linked.functions);
}

void Names::enter(const std::vector<ir::Class>& classes,
                  const std::vector<ir::Function>& functions) {
  for (const ir::Class& type : classes) classes_.emplace(type.name, &type);
  for (const ir::Function& function : functions) {
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

Builder::Builder(const ir::Program& program, const Names& names, Tables& tables,
                 std::set<const ir::Function*>& expanded)
    : program_(program),
      names_(names),
      expanded_(expanded),
      sets_(tables.sets),
      texts_(tables.names) {}

// Module level and, for a method, its class's constructor come first: they give names and members
// their values.
void Builder::module_level(const ir::Function* root) {
  const ir::Function* module = names_.function("<module>", 0);
  graph_.program = &program_;
  graph_.frames.push_back({module, kNone, kNone, kNone});
  contexts_.push_back({0, dead(), {}, {}, false, {}});
  if (module == nullptr || module == root) return;
  prelude_ = true;
  expanding_ = false;
  block(module->body, before_);
  merge(before_, contexts_.back().returns);
  expanding_ = true;
  prelude_ = false;
  if (!before_.state.reachable) before_ = Run{};
  end_of_prelude();
}

// Copies are made from here, which need not carry what only the prelude's own nodes go by.
void Builder::end_of_prelude() {
  for (Numbers* numbers : {&node_ids_, &frame_ids_, &loop_ids_, &scope_ids_}) *numbers = {};
  result_ids_ = {};
}

void Builder::constructor_of(const ir::Function& root) {
  if (const ir::Class* type = names_.type(root.owner)) {
    const ValueId self =
        named(0, "self", names_.is_module(type) ? ir::Role::Module : ir::Role::Other);
    value(self).type = type;
    self_ = {self};
    const ir::Function* constructor = names_.method(type, "__init__");
    if (constructor != nullptr && constructor != &root) {
      prelude_ = true;
      const Location at = constructor->at;
      const NodeId entry = enter(constructor, Node::Form::Entry, at, before_);
      expand({constructor, {self}, 0}, nullptr, entry, before_);
      prelude_ = false;
      if (!before_.state.reachable) before_ = Run{};
    }
  }
  before_.from.clear();
  before_.state.grad = Grad::On;
  before_.state.settle();
  end_of_prelude();
}

Graph Builder::run(const ir::Function& root) {
  graph_.root = &root;
  Run run = std::move(before_);
  const Callee callee{&root, self_, 0};
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

namespace {

// What comes before entry points is built once for all that share it.
class Roots {
 public:
  Roots(const ir::Program& program, const Names& names, std::set<const ir::Function*>& expanded)
      : program_(program), names_(names), expanded_(expanded) {}

  Graph graph(const ir::Function& root) {
    if (names_.function("<module>", 0) == &root) {
      Builder own(program_, names_, tables_, expanded_);
      own.module_level(&root);
      own.constructor_of(root);
      return own.run(root);
    }
    if (!module_) {
      module_ = std::make_unique<Builder>(program_, names_, tables_, expanded_);
      module_->module_level(nullptr);
    }
    const ir::Class* type = names_.type(root.owner);
    const ir::Function* constructor = type == nullptr ? nullptr : names_.method(type, "__init__");
    if (constructor == nullptr || constructor == &root) {
      Builder own(*module_);
      own.constructor_of(root);
      return own.run(root);
    }
    if (type != type_) {
      type_ = type;
      constructed_ = std::make_unique<Builder>(*module_);
      constructed_->constructor_of(root);
    }
    return Builder(*constructed_).run(root);
  }

 private:
  const ir::Program& program_;
  const Names& names_;
  std::set<const ir::Function*>& expanded_;
  Tables tables_;
  std::unique_ptr<Builder> module_;       // module level has run
  std::unique_ptr<Builder> constructed_;  // so has the constructor of type_
  const ir::Class* type_ = nullptr;
};

}  // namespace

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
  return Roots(program, names, expanded).graph(root);
}

// The roots are the same whichever of them are wanted: a function that only an unwanted one expands
// reaches no more than that, so that it is not wanted either.
void build(const ir::Program& program, const Reach& reach, const Wanted& wanted,
           const std::function<void(Graph)>& take) {
  const Names names(program);
  std::set<const ir::Function*> expanded;
  Roots roots(program, names, expanded);
  auto add_root = [&](const ir::Function& function) {
    if (expanded.contains(&function) || !wanted(reach.of(function))) return;
    take(roots.graph(function));
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
