#include "rules/declarations.h"
#include "rules/loaders.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::Values;
using ir::Kind;

bool sets_epoch(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    found |=
        site.op->callee == "set_epoch" || mentions(site.op->callee, {"set_epoch", "reshuffle"});
  });
  return found;
}

// The loader that has the sampler feeds a training loop inside another loop: epochs.
bool feeds_epochs(const Analysis& of, const Values& sampler, flow::LoopId& epochs) {
  for (const LoaderUse& use : loader_uses(of)) {
    const flow::Node& loader = of.node(use.made);
    bool has = false;
    for (const Values& given : loader.arguments) has |= flow::intersect(given, sampler);
    if (!has || !is_training_loop(of, use.loop) || of.loop(use.loop).parent == flow::kNone)
      continue;
    epochs = of.loop(use.loop).parent;
    return true;
  }
  return false;
}

// The sampler shuffles by its epoch, which is 0 until someone says otherwise: every epoch has the
// same order.
void check(const Analysis& of, Findings& found) {
  if (sets_epoch(*of.graph().program)) return;
  for (const NodeId made : of.all({Kind::Construct, Kind::Call})) {
    const flow::Node& node = of.node(made);
    if (node.op->callee != "DistributedSampler" || node.results.empty()) continue;
    if (is_literal_false(*node.op, "shuffle", 3) || has_open_arguments(*node.op)) continue;
    flow::LoopId epochs = flow::kNone;
    if (!feeds_epochs(of, node.results.front(), epochs)) continue;
    found.at(made, "this sampler's epoch is never set: every epoch has the same order")
        .note(of.loop(epochs).at, "epochs are counted here")
        .help("call sampler.set_epoch(epoch) at the start of every epoch");
  }
}

std::uint32_t trigger(const ir::Op& op) { return op.callee == "DistributedSampler"; }

}  // namespace

extern const Rule sampler_epoch_not_set;
constinit const Rule sampler_epoch_not_set{
    Level::Warning, check, kinds(Kind::Step, Kind::ScalerStep), true, nullptr, {trigger}};

}  // namespace forerun::rules
