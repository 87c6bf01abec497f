#include <algorithm>

#include "rules/declarations.h"
#include "rules/loaders.h"
#include "rules/process_group.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using ir::Kind;

bool divides(const ir::Op& op) {
  return (op.kind == Kind::Construct || op.kind == Kind::Call) &&
         mentions(op.callee,
                  {"shard", "split_dataset_by", "splitbynode", "split_by_node", "partition",
                   "distributedsampler", "distributed_sampler", "distributedsequentialsampler"});
}

// Data that was divided before: a sampler elsewhere, a shard, a part for this rank. In C++ by what
// this entry point runs, as the process group is.
bool divides_data(const Analysis& of) {
  const ir::Program& program = *of.graph().program;
  if (program.language == ir::Language::Cpp) {
    return !of.where([](const flow::Node& node) {
                return node.op != nullptr && divides(*node.op);
              }).empty();
  }
  bool found = false;
  each_operation(program, [&](const Site& site) { found |= divides(*site.op); });
  return found;
}

bool depends_on_rank(const ir::Op& op) {
  for (const ir::Argument& one : op.arguments) {
    if (one.name == "use_ddp") return true;  // DGL's loader divides the data itself
    if (mentions(ir::to_string(one.value), {"rank", "shard", "local", "world"})) return true;
  }
  return false;
}

// DataLoader(dataset, batch_size=None): the dataset makes the batches, and divides itself if anyone
// does.
bool makes_its_own_batches(const ir::Op& loader) {
  return std::any_of(loader.arguments.begin(), loader.arguments.end(), [](const ir::Argument& one) {
    const auto* text = std::get_if<ir::Literal>(&one.value);
    return one.name == "batch_size" && text != nullptr && text->text == "none";
  });
}

// The part of the data that this process was given: indices.split(n)[proc_id].
bool is_a_part(const Analysis& of, flow::NodeId loader) {
  for (const flow::Values& given : of.node(loader).arguments) {
    for (const flow::ValueId one : of.sources(given)) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || maker->kind != Kind::Index) continue;
      for (const ir::Argument& key : maker->arguments) {
        if (mentions(ir::to_string(key.value), {"rank", "proc", "shard", "worker"})) return true;
      }
    }
  }
  return false;
}

// A data set that is told which process it is for: Data(root, rank, size), also below a map().
bool is_made_for_a_rank(const Analysis& of, flow::NodeId loader) {
  const flow::Node& node = of.node(loader);
  if (node.arguments.empty()) return false;
  const flow::Values made = of.sources(node.arguments.front());
  return std::any_of(made.begin(), made.end(), [&](flow::ValueId one) {
    const ir::Op* maker = of.maker(one);
    return maker != nullptr && depends_on_rank(*maker);
  });
}

// Without a distributed sampler every process trains on all of the data, in the same or another
// order: an epoch costs as much as on one process.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  const auto wrapped = several_processes(of, /*groups=*/false);
  if (!wrapped || divides_data(of)) return;
  const bool cpp = program.language == ir::Language::Cpp;
  for (const LoaderUse& use : loader_uses(of)) {
    const ir::Op& loader = *of.node(use.made).op;
    if (!is_training_loop(of, use.loop) || (cpp && is_made_for_a_rank(of, use.made))) continue;
    if (is_given(loader, "sampler", 3) || is_given(loader, "batch_sampler", 4) ||
        has_open_arguments(loader) || makes_its_own_batches(loader) || depends_on_rank(loader) ||
        is_a_part(of, use.made) || is_iterable_dataset(of, use.made) ||
        is_for_evaluation(of, use.made))
      continue;
    found
        .at(use.made,
            "every process trains on all of the data: the loader has no distributed sampler")
        .note(*wrapped, "the model is trained by several processes")
        .help(cpp ? "pass a torch::data::samplers::DistributedRandomSampler"
                  : "pass sampler=DistributedSampler(dataset) and call its set_epoch() in every "
                    "epoch");
  }
}

std::uint32_t trigger(const ir::Op& op) {
  return (kinds(op.kind) & kinds(Kind::Backward, Kind::Step, Kind::ScalerStep)) != 0;
}

}  // namespace

extern const Rule distributed_sampler_missing;
constinit const Rule distributed_sampler_missing{
    Level::Warning, check, kinds(Kind::Step, Kind::ScalerStep), true, nullptr, {trigger}};

}  // namespace forerun::rules
