#include <algorithm>

#include "rules/declarations.h"
#include "rules/loaders.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using ir::Kind;

const ir::Op* wrapping(const ir::Program& program) {
  const ir::Op* found = nullptr;
  each_operation(program, [&](const Site& site) {
    if (site.op->kind == Kind::Construct && site.op->callee == "DistributedDataParallel" &&
        found == nullptr)
      found = site.op;
  });
  return found;
}

// Data that was divided before: a sampler elsewhere, a shard, a part for this rank.
bool divides_data(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (op.kind == Kind::Construct || op.kind == Kind::Call)
      found |= mentions(op.callee, {"shard", "split_dataset_by", "splitbynode", "split_by_node",
                                    "partition", "distributedsampler", "distributed_sampler"});
  });
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

// Without a distributed sampler every process trains on all of the data, in the same or another
// order: an epoch costs as much as on one process.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  const ir::Op* wrapped = wrapping(program);
  if (wrapped == nullptr || divides_data(program)) return;
  for (const LoaderUse& use : loader_uses(of)) {
    const ir::Op& loader = *of.node(use.made).op;
    if (loader.callee != "DataLoader" || !is_training_loop(of, use.loop)) continue;
    if (is_given(loader, "sampler", 3) || is_given(loader, "batch_sampler", 4) ||
        has_open_arguments(loader) || makes_its_own_batches(loader) || depends_on_rank(loader) ||
        is_a_part(of, use.made) || is_iterable_dataset(of, use.made) ||
        is_for_evaluation(of, use.made))
      continue;
    found
        .at(use.made,
            "every process trains on all of the data: the loader has no distributed sampler")
        .note(wrapped->at, "the model is trained by several processes")
        .help("pass sampler=DistributedSampler(dataset) and call its set_epoch() in every epoch");
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
