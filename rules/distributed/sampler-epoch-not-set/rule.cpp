#include <optional>

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
std::optional<LoaderUse> feeds_epochs(const Analysis& of, const Values& sampler) {
  for (const LoaderUse& use : loader_uses(of)) {
    const flow::Node& loader = of.node(use.made);
    bool has = false;
    for (const Values& given : loader.arguments) has |= flow::intersect(given, sampler);
    if (!has || !is_training_loop(of, use.loop) || of.loop(use.loop).parent == flow::kNone)
      continue;
    return use;
  }
  return std::nullopt;
}

// The sampler shuffles by its epoch, which is 0 until someone says otherwise: every epoch has the
// same order. LibTorch's loader keeps a copy of its sampler (StatelessDataLoader::sampler_): only a
// loader that is made after set_epoch() is told.
void check(const Analysis& of, Findings& found) {
  const bool cpp = of.graph().program->language == ir::Language::Cpp;
  const bool set = sets_epoch(*of.graph().program);
  if (set && !cpp) return;
  for (const NodeId made : of.all({Kind::Construct, Kind::Call})) {
    const flow::Node& node = of.node(made);
    if (node.op->callee != "DistributedSampler" || node.results.empty()) continue;
    if (is_literal_false(*node.op, "shuffle", 3) || has_open_arguments(*node.op)) continue;
    const auto use = feeds_epochs(of, node.results.front());
    if (!use) continue;
    const flow::LoopId epochs = of.loop(use->loop).parent;
    if (set && of.graph().in(epochs, use->made)) continue;
    auto draft =
        found.at(made, set ? "the loader has a copy of this sampler, made before its epoch is set: "
                             "every epoch has the same order"
                           : "this sampler's epoch is never set: every epoch has the same order");
    if (set) draft.note(use->made, "the copy is made here");
    draft.note(of.loop(epochs).at, "epochs are counted here")
        .help(cpp ? "in every epoch, call sampler.set_epoch(epoch) and then make the loader with it"
                  : "call sampler.set_epoch(epoch) at the start of every epoch");
  }
}

std::uint32_t trigger(const ir::Op& op) { return op.callee == "DistributedSampler"; }

}  // namespace

extern const Rule sampler_epoch_not_set;
constinit const Rule sampler_epoch_not_set{
    Level::Warning, check, kinds(Kind::Step, Kind::ScalerStep), true, nullptr, {trigger}};

}  // namespace forerun::rules
