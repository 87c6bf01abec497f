#include "rules/rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/ir/walk.h"
#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

bool turns_off(const ir::Scope& scope) {
  return scope.form == ir::Scope::Form::NoGrad || scope.form == ir::Scope::Form::InferenceMode;
}

bool starts_a_thread(const ir::Op& op) {
  return mentions(op.callee, {"thread", "async", "parallel_for", "submit", "enqueue",
                              "intraop_launch", "launch"}) ||
         (op.kind == Kind::Append && op.receiver &&
          mentions(ir::to_string(*op.receiver), {"thread", "worker", "future", "task"}));
}

// Runs a model, or torch operations on tensors, with no guard of its own.
bool runs_unguarded(const ir::Function& function) {
  bool runs = false;
  each_operation(function, [&](const Site& site) {
    const bool guarded = std::any_of(site.scopes.begin(), site.scopes.end(),
                                     [](const ir::Scope* scope) { return turns_off(*scope); });
    runs |= site.op->kind == Kind::Forward && !guarded;
  });
  return runs;
}

// Functions and lambdas by name, nested ones too.
void collect(const ir::Block& block, std::vector<const ir::Function*>& into) {
  for (const ir::Node& node : block) {
    if (const auto* define = std::get_if<ir::Define>(&node.value))
      into.push_back(define->function.get());
    ir::each_block(node, [&](const ir::Block& inner) { collect(inner, into); });
  }
}

// Whether gradients are recorded is a state of the thread: a guard here says nothing to another.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Cpp) return;
  for (const ir::Function& function : program.functions) {
    std::vector<const ir::Function*> inside;
    collect(function.body, inside);
    each_operation(function, [&](const Site& site) {
      const ir::Scope* guard = nullptr;
      for (const ir::Scope* scope : site.scopes) {
        if (turns_off(*scope)) guard = scope;
      }
      if (guard == nullptr || !starts_a_thread(*site.op)) return;
      for (const ir::Argument& one : site.op->arguments) {
        const auto* named = std::get_if<ir::FunctionReference>(&one.value);
        if (named == nullptr) continue;
        const ir::Function* run = nullptr;
        for (const ir::Function* nested : inside) {
          if (nested->name == named->name) run = nested;
        }
        for (const ir::Function& free : program.functions) {
          if (run == nullptr && free.name == named->name) run = &free;
        }
        if (run == nullptr || !runs_unguarded(*run)) continue;
        found
            .at(site.op->at,
                "this thread runs the model with gradients on: the guard is another thread's")
            .note(guard->at, "the guard only holds in the thread that made it")
            .help("make the guard inside the function that the thread runs");
      }
    });
  }
}

}  // namespace

extern const Rule no_grad_guard_other_thread;
constinit const Rule no_grad_guard_other_thread{Level::Error, nullptr, kinds(Kind::Forward), false,
                                                declarations};

}  // namespace forerun::rules
