#include <algorithm>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// The program reads a checkpoint's progress back: it resumes.
bool resumes(const ir::Program& program) {
  bool loads = false, progress = false;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    loads |= op.kind == Kind::Load;
    const std::string* key = op.kind == Kind::Index && op.arguments.size() == 1
                                 ? literal_of(op.arguments[0].value)
                                 : nullptr;
    progress |= key != nullptr && mentions(*key, {"epoch", "step", "iter"});
  });
  return loads && progress;
}

bool makes_optimizer_with_state(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    found |= site.op->kind == Kind::Construct && keeps_state(*site.op);
  });
  return found;
}

struct Contents {
  bool model = false, progress = false, optimizer = false;
};

Contents contents_of(const ir::Op& dict) {
  Contents found;
  for (std::size_t i = 0; i < dict.arguments.size(); ++i) {
    const std::string key = dict.arguments[i].name + ir::to_string(dict.arguments[i].value);
    found.optimizer |= mentions(key, {"optim", "opt_", "\"opt\"", "solver", "trainer"});
    found.progress |= mentions(key, {"\"epoch", "\"step", "\"iter", "\"global_step"}) ||
                      mentions(dict.arguments[i].name, {"epoch", "iter", "global_step"});
    found.model |= mentions(key, {"model", "net", "state_dict", "weights"});
  }
  return found;
}

// A run that goes on from such a file starts its moments from zero: the loss jumps, and the first
// steps are as large as those of a new training.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  if (!makes_optimizer_with_state(program) || !resumes(program)) return;
  for (const NodeId save : of.all(Kind::Save)) {
    const flow::Node& node = of.node(save);
    if (node.arguments.empty()) continue;
    for (const ValueId one : node.arguments.front()) {
      const ir::Op* dict = of.maker(one);
      if (dict == nullptr || dict->kind != Kind::Pack || dict->callee != "dict") continue;
      const Contents has = contents_of(*dict);
      if (!has.model || !has.progress || has.optimizer || !of.value(one).holds.empty()) continue;
      const std::vector<NodeId> uses = of.uses({one});
      const bool more = std::any_of(uses.begin(), uses.end(),
                                    [&](NodeId use) { return of.node(use).is(Kind::Store); });
      if (more) continue;
      found
          .at(save,
              "this checkpoint has progress and weights, and no optimizer state to go on with")
          .note(dict->at, "it is put together here")
          .help("add \"optimizer\": optimizer.state_dict(), and load it when resuming");
    }
  }
}

}  // namespace

extern const Rule checkpoint_without_optimizer;
constinit const Rule checkpoint_without_optimizer{Level::Warning, check, kinds(Kind::Save)};

}  // namespace forerun::rules
