#include <map>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/loaders.h"

namespace forerun::rules {
namespace {

using ir::Kind;

bool is_dataset(const ir::Program& program, const ir::Class& type) {
  for (const std::string& base : type.bases) {
    if (mentions(base, {"dataset", "imagefolder"})) return true;
    const ir::Class* own = class_named(program, base);
    if (own != nullptr && own != &type && is_dataset(program, *own)) return true;
  }
  return false;
}

bool makes_generator(const ir::Op& op) {
  return op.callee == "default_rng" || op.callee == "RandomState" || op.callee == "Generator" ||
         op.callee == "Random";
}

// Loaders with workers, none of which seeds them.
struct Loaders {
  const ir::Op* with_workers = nullptr;
  bool seeds = false;
};
Loaders loaders_of(const ir::Program& program) {
  Loaders found;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (op.kind != Kind::Construct || op.callee != "DataLoader") return;
    found.seeds |= is_given(op, "worker_init_fn", 10) || has_open_arguments(op);
    if (is_given(op, "num_workers", 5) && !is_literal_false(op, "num_workers", 5))
      found.with_workers = &op;
  });
  return found;
}

// Generators of numpy or random that exist before workers are made: each worker has a copy.
std::map<ir::Place, const ir::Op*> generators(const ir::Program& program, const ir::Class& type) {
  std::map<ir::Place, const ir::Op*> found;
  for (const ir::Function& function : program.functions) {
    const bool global = function.owner.empty() && function.name == "<module>";
    if (!global && function.name != type.name + ".__init__") continue;
    each_operation(function, [&](const Site& site) {
      if (makes_generator(*site.op) && site.op->results.size() == 1 &&
          (global || site.op->results[0].root == "self"))
        found[site.op->results[0]] = site.op;
    });
  }
  return found;
}

bool seeds_by_worker(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    found |= mentions(site.op->callee, {"get_worker_info", "worker_init", "seed_worker"});
  });
  return found;
}

void judge(const ir::Program& program, const ir::Class& type, const Loaders& loaders,
           Findings& found) {
  const auto made = generators(program, type);
  for (const ir::Function* method : methods_of(program, type.name)) {
    if (method->name != type.name + ".__getitem__" && method->name != type.name + ".__iter__")
      continue;
    each_operation(*method, [&](const Site& site) {
      const ir::Op& op = *site.op;
      const ir::Place* receiver = op.receiver ? place_of(*op.receiver) : nullptr;
      if (receiver != nullptr && made.contains(*receiver)) {
        found
            .at(op.at, fmt::format("every worker has a copy of {} and draws the same numbers",
                                   to_string(*receiver)))
            .note(made.at(*receiver)->at, "it is made here, before the workers are")
            .note(loaders.with_workers->at, "this loader has workers")
            .help("make it in each worker, seeded with torch.initial_seed() or the worker's id");
        return;
      }
      const auto spelling = op.details.find("spelling");
      if (receiver != nullptr || spelling == op.details.end() ||
          !spelling->second.starts_with("numpy.random.") || makes_generator(op) ||
          op.callee == "seed")
        return;
      found.at(op.at, "before PyTorch 1.9 every worker draws the same numbers from numpy here")
          .note(loaders.with_workers->at, "this loader has workers and no worker_init_fn")
          .help("draw from torch, or seed numpy in a worker_init_fn")
          .level(Level::Note);
    });
  }
}

// Workers are copies of the training process: a generator that it made has the same state in each
// of them, and again in the next epoch.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Python) return;
  const Loaders loaders = loaders_of(program);
  if (loaders.with_workers == nullptr || loaders.seeds || seeds_by_worker(program)) return;
  for (const ir::Class& type : program.classes) {
    if (is_dataset(program, type)) judge(program, type, loaders, found);
  }
}

}  // namespace

extern const Rule numpy_rng_in_workers;
constinit const Rule numpy_rng_in_workers{Level::Error, nullptr, kinds(Kind::Construct), false,
                                          declarations};

}  // namespace forerun::rules
