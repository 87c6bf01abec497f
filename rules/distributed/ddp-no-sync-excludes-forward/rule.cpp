#include "rules/modes.h"
#include "rules/no_sync.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

// A forward of this scope is behind the loss; others only left it a state or a memory.
bool has_a_forward(const Analysis& of, NodeId backward, const NoSync& scope) {
  for (const ValueId one : of.graph_of(backward)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || maker->kind != Kind::Forward) continue;
    const NodeId forward = of.value(one).def;
    if (!flow::intersect(of.node(forward).receiver, scope.model)) continue;
    const auto around = no_sync_around(of, forward);
    if (around && around->scope == scope.scope) return true;
  }
  return false;
}

// Whether gradients are synchronised is decided in the forward: a backward alone under no_sync
// synchronises all the same.
void check(const Analysis& of, Findings& found) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    const auto scope = no_sync_around(of, backward);
    if (!scope || scope->model.empty() || has_a_forward(of, backward, *scope)) continue;
    for (const ValueId one : of.graph_of(backward)) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || maker->kind != Kind::Forward) continue;
      const NodeId forward = of.value(one).def;
      if (!flow::intersect(of.node(forward).receiver, scope->model)) continue;
      const auto around = no_sync_around(of, forward);
      if (around && around->scope == scope->scope) continue;
      if (around) continue;
      found
          .at(scope->scope,
              "only backward is under no_sync(): the forward outside it has asked for "
              "synchronisation")
          .note(forward, "the forward is here")
          .help("put forward and backward under no_sync() together");
      break;
    }
  }
}

}  // namespace

extern const Rule ddp_no_sync_excludes_forward;
constinit const Rule ddp_no_sync_excludes_forward{Level::Error, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
