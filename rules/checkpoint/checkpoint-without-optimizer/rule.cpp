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
    loads |= op.kind == Kind::Load || op.callee == "load_from";
    const bool reads = (op.kind == Kind::Index && op.arguments.size() == 1) ||
                       (op.kind == Kind::Call && op.callee == "read" && op.arguments.size() > 1);
    const std::string* key = reads ? literal_of(op.arguments[0].value) : nullptr;
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

bool is_optimizer(const Analysis& of, const Values& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](ValueId one) { return of.value(one).role == ir::Role::Optimizer; });
}

bool is_module(const Analysis& of, const Values& values) {
  return std::any_of(values.begin(), values.end(), [&](ValueId one) { return of.is_module(one); });
}

// What was written into a torch::serialize::OutputArchive: net->save(archive), archive.write(key,
// value). An archive that more is done with than that is not known.
Contents contents_of(const Analysis& of, const Values& archive) {
  Contents found;
  for (const NodeId use : of.uses(archive)) {
    const flow::Node& node = of.node(use);
    if (!node.is(Kind::Call) || node.expanded) continue;
    if (node.op->callee == "save") {
      found.optimizer |= is_optimizer(of, node.receiver);
      found.model |= is_module(of, node.receiver);
    } else if (node.op->callee == "write") {
      const Contents one = contents_of(*node.op);
      found.optimizer |= one.optimizer;
      found.progress |= one.progress;
      found.model |= one.model;
    } else if (node.op->callee != "save_to") {
      found.optimizer = true;
    }
  }
  return found;
}

// C++ has no dictionary of states: an archive holds several.
void by_archive(const Analysis& of, Findings& found) {
  for (const NodeId save : of.all(Kind::Call)) {
    const flow::Node& node = of.node(save);
    if (node.op->callee != "save_to" || node.receiver.empty()) continue;
    const Contents has = contents_of(of, node.receiver);
    if (!has.model || !has.progress || has.optimizer) continue;
    found.at(save, "this checkpoint has progress and weights, and no optimizer state to go on with")
        .help("call optimizer.save(archive), and optimizer.load(archive) when resuming");
  }
}

const ir::Operand* file_of(const ir::Op& op) {
  if (op.arguments.size() < 2) return nullptr;
  const ir::Operand& file = op.arguments[1].value;
  const ir::Place* place = place_of(file);
  return (place != nullptr && !place->is_temporary()) || literal_of(file) != nullptr ? &file
                                                                                     : nullptr;
}

// Some optimizer, or what it holds, is written or read in the program.
bool keeps_an_optimizer(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    const bool file = op.kind == Kind::Save || op.kind == Kind::Load || op.callee == "save" ||
                      op.callee == "load";
    if (!file) return;
    std::vector<const ir::Place*> about;
    if (op.receiver) about.push_back(place_of(*op.receiver));
    for (const ir::Argument& one : op.arguments) about.push_back(place_of(one.value));
    for (const ir::Place* place : about) {
      if (place == nullptr) continue;
      const auto role = site.function->roles.find(*place);
      found |= mentions(to_string(*place), {"optim", "opt_", "solver"}) ||
               (role != site.function->roles.end() && role->second == ir::Role::Optimizer);
    }
  });
  return found;
}

// torch::load(net, file) and, while it trains, torch::save(net, file): the same file again.
void by_files(const Analysis& of, Findings& found) {
  if (keeps_an_optimizer(*of.graph().program)) return;
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  for (const NodeId save : of.all(Kind::Save)) {
    const flow::Node& node = of.node(save);
    const ir::Operand* file = file_of(*node.op);
    if (file == nullptr || !is_module(of, node.arguments.front())) continue;
    const auto loops = of.loops_around(save);
    const bool trains = std::any_of(loops.begin(), loops.end(), [&](flow::LoopId loop) {
      return std::any_of(steps.begin(), steps.end(),
                         [&](NodeId step) { return of.graph().in(loop, step); });
    });
    if (!trains) continue;
    for (const NodeId load : of.all(Kind::Load)) {
      const flow::Node& loaded = of.node(load);
      const ir::Operand* from = file_of(*loaded.op);
      if (from == nullptr || ir::to_string(*from) != ir::to_string(*file) ||
          !flow::intersect(loaded.arguments.front(), node.arguments.front()))
        continue;
      found.at(save, "training goes on from this file, and it has no optimizer state to go on with")
          .note(load, "it is loaded here")
          .help("save the optimizer, too, and load it when resuming");
      break;
    }
  }
}

// A run that goes on from such a file starts its moments from zero: the loss jumps, and the first
// steps are as large as those of a new training.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  if (!makes_optimizer_with_state(program)) return;
  if (program.language == ir::Language::Cpp) by_files(of, found);
  if (!resumes(program)) return;
  if (program.language == ir::Language::Cpp) by_archive(of, found);
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

// save_to is a method of archives alone, and no kind of its own.
std::uint32_t trigger(const ir::Op& op) {
  return op.kind == Kind::Save || (op.kind == Kind::Call && op.callee == "save_to");
}

}  // namespace

extern const Rule checkpoint_without_optimizer;
constinit const Rule checkpoint_without_optimizer{Level::Warning, check,   kinds(Kind::Construct),
                                                  false,          nullptr, {trigger}};

}  // namespace forerun::rules
