#include "rules/declarations.h"
#include "rules/loaders.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

// Reading, decoding, transforming: what takes time for each sample.
bool is_work(const ir::Op& op) {
  if (op.kind == Kind::Load) return true;
  return (op.kind == Kind::Call || op.kind == Kind::Tensor || op.kind == Kind::Construct) &&
         mentions(op.callee,
                  {"open", "imread", "load", "decode", "transform", "resize", "tokenize", "augment",
                   "read_image", "read_csv", "parse", "crop", "fromarray", "from_file"});
}

bool works_per_sample(const Analysis& of, NodeId loader) {
  const ir::Program& program = *of.graph().program;
  const std::string name = dataset_class(of, loader);
  if (const ir::Function* get = method_of(program, name, "__getitem__")) {
    bool works = false;
    each_operation(*get, [&](const Site& site) {
      works |= is_work(*site.op);
      const ir::Place* called = site.op->receiver ? place_of(*site.op->receiver) : nullptr;
      works |=
          called != nullptr && mentions(to_string(*called), {"transform", "augment", "tokenizer"});
    });
    return works;
  }
  for (const flow::Values& given : of.node(loader).arguments) {
    for (const ValueId one : given) {
      const ir::Op* maker = of.maker(one);
      if (maker != nullptr && (maker->kind == Kind::Construct || maker->kind == Kind::Call) &&
          argument(*maker, "transform", 99) != nullptr)
        return true;
    }
  }
  return false;
}

// Samples are made between two steps, by the process that trains: the device waits for each batch.
void check(const Analysis& of, Findings& found) {
  if (of.graph().program->language != ir::Language::Python) return;
  for (const LoaderUse& use : loader_uses(of)) {
    const ir::Op& loader = *of.node(use.made).op;
    if (has_open_arguments(loader) || !is_training_loop(of, use.loop)) continue;
    if (is_given(loader, "num_workers", 5) && !is_literal_false(loader, "num_workers", 5)) continue;
    if (!works_per_sample(of, use.made)) continue;
    found.at(use.made, "samples are loaded by the training process, between its steps")
        .note(of.loop(use.loop).at, "each step of this loop waits for its batch")
        .help("pass num_workers: some two to eight for each device");
  }
}

}  // namespace

extern const Rule loader_in_main_process;
constinit const Rule loader_in_main_process{Level::Note, check,
                                            kinds(Kind::Backward, Kind::Step, Kind::ScalerStep)};

}  // namespace forerun::rules
