#include "rules/declarations.h"
#include "rules/loaders.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using ir::Kind;

// Data whose order means something.
bool is_ordered(const Analysis& of, flow::NodeId loader) {
  const ir::Op& op = *of.node(loader).op;
  std::string text = dataset_class(of, loader);
  if (!op.arguments.empty()) text += ir::to_string(op.arguments.front().value);
  return mentions(text, {"time", "seq", "stream", "text", "corpus", "buffer", "replay", "rollout",
                         "video", "series", "window", "sorted", "language", "shuffled"});
}

bool is_sequential(const ir::Op& loader) {
  if (is_given(loader, "sampler", 3) || is_given(loader, "batch_sampler", 4)) return false;
  return !is_given(loader, "shuffle", 2) || is_literal_false(loader, "shuffle", 2);
}

// The same batches in the same order in every epoch; sorted by class, each batch has one class.
void check(const Analysis& of, Findings& found) {
  for (const LoaderUse& use : loader_uses(of)) {
    const ir::Op& loader = *of.node(use.made).op;
    if (has_open_arguments(loader) || !is_training_loop(of, use.loop) || !is_sequential(loader))
      continue;
    if (is_iterable_dataset(of, use.made) || is_ordered(of, use.made) ||
        is_for_evaluation(of, use.made))
      continue;
    const bool cpp = of.graph().program->language == ir::Language::Cpp;
    found.at(use.made, "training data comes in the same order in every epoch")
        .note(of.loop(use.loop).at, "this loop trains on it")
        .help(cpp ? "use torch::data::samplers::RandomSampler" : "pass shuffle=True");
  }
}

}  // namespace

extern const Rule train_loader_not_shuffled;
constinit const Rule train_loader_not_shuffled{Level::Note, check,
                                               kinds(Kind::Backward, Kind::Step, Kind::ScalerStep)};

}  // namespace forerun::rules
