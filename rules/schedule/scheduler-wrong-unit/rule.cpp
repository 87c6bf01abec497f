#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

constexpr double kFewBatches =
    200;  // a schedule that ends after so many batches was meant in epochs

const ir::Argument* argument_of(const ir::Op& op, const std::string& name, std::size_t position,
                                std::size_t& at) {
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ir::Argument& argument = op.arguments[i];
    if (argument.name == name || (argument.name.empty() && i == position)) {
      at = i;
      return &argument;
    }
  }
  return nullptr;
}

std::optional<double> number(const ir::Operand& operand) {
  const auto* literal = std::get_if<ir::Literal>(&operand);
  if (literal == nullptr) return std::nullopt;
  double value = 0;
  const std::string& text = literal->text;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The loops a scheduler's step stands in, and whether they are over batches or
// epochs.
struct Place {
  NodeId step = flow::kNone;
  LoopId batches = flow::kNone;  // set when it stands in the loop over batches
  LoopId epochs = flow::kNone;   // the loop around the batches
};

// The loop whose rounds run backward, and one around it.
std::optional<Place> place_of(const Analysis& of, NodeId scheduler) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    const std::vector<LoopId> around = of.loops_around(backward);
    if (around.size() < 2) continue;
    const LoopId batches = around[0], epochs = around[1];
    if (of.graph().in(batches, scheduler)) return Place{scheduler, batches, epochs};
    if (of.innermost_loop(scheduler) == epochs) return Place{scheduler, flow::kNone, epochs};
  }
  return std::nullopt;
}

bool counts_batches(const Analysis& of, const Values& values) {
  const Values behind = of.sources(values);
  return std::any_of(behind.begin(), behind.end(), [&](ValueId one) {
    const ir::Op* maker = of.maker(one);
    return maker != nullptr &&
           (maker->callee == "len" || (maker->kind == Kind::Query && maker->callee == "size"));
  });
}

// The same operand that bounds the loop over epochs: range(epochs) and
// T_max=epochs.
bool is_number_of_epochs(const Analysis& of, LoopId epochs, const ir::Operand& operand,
                         const Values& values) {
  const flow::Loop& loop = of.loop(epochs);
  if (loop.source == nullptr || loop.source->form != ir::Loop::Form::Counted ||
      !loop.source->iterable)
    return false;
  const std::string bound = ir::to_string(*loop.source->iterable);
  if (std::holds_alternative<ir::Literal>(operand)) return ir::to_string(operand) == bound;
  const Values& bounds = of.node(loop.head).receiver;
  return !values.empty() && values == bounds;
}

bool shorter_than_epochs(const Analysis& of, LoopId epochs, double horizon) {
  const flow::Loop& loop = of.loop(epochs);
  if (loop.source == nullptr || !loop.source->iterable) return false;
  const auto bound = number(*loop.source->iterable);
  return bound && horizon <= *bound;
}

// What the milestones, the step size or the horizon say: epochs, for certain.
bool speaks_of_epochs(const Analysis& of, const Place& place, const flow::Node& made) {
  const ir::Op& op = *made.op;
  std::size_t at = 0;
  auto gamma = [&](std::size_t position, double standard) {
    std::size_t where = 0;
    const ir::Argument* given = argument_of(op, "gamma", position, where);
    if (given == nullptr) return standard;
    return number(given->value).value_or(1.0);
  };
  if (op.callee == "StepLR") {
    const ir::Argument* size = argument_of(op, "step_size", 1, at);
    const auto rounds = size == nullptr ? std::nullopt : number(size->value);
    if (rounds && gamma(2, 0.1) <= 0.9)
      return *rounds <= kFewBatches || shorter_than_epochs(of, place.epochs, *rounds);
    return size != nullptr &&
           is_number_of_epochs(of, place.epochs, size->value, made.arguments[at]);
  }
  if (op.callee == "MultiStepLR") {
    const ir::Argument* stones = argument_of(op, "milestones", 1, at);
    if (stones == nullptr || gamma(2, 0.1) > 0.9) return false;
    for (const ValueId one : made.arguments[at]) {
      const ir::Op* list = of.maker(one);
      if (list == nullptr || list->kind != Kind::Pack || list->arguments.empty()) return false;
      for (const ir::Argument& stone : list->arguments) {
        const auto value = number(stone.value);
        if (!value || *value > kFewBatches) return false;
      }
      return true;
    }
    return false;
  }
  // It has no length to compare; one that is not stepped in every round has its own count.
  if (op.callee == "ExponentialLR")
    return gamma(1, 1.0) <= 0.99 && of.every_round(place.batches, place.step);
  if (op.callee == "CosineAnnealingLR" || op.callee == "PolynomialLR" || op.callee == "LinearLR") {
    const char* name = op.callee == "CosineAnnealingLR" ? "T_max" : "total_iters";
    const ir::Argument* horizon = argument_of(op, name, op.callee == "LinearLR" ? 3 : 1, at);
    return horizon != nullptr && op.callee != "LinearLR" &&
           is_number_of_epochs(of, place.epochs, horizon->value, made.arguments[at]);
  }
  return false;
}

bool speaks_of_batches(const Analysis& of, const flow::Node& made) {
  const ir::Op& op = *made.op;
  static const std::set<std::string> horizons = {"total_steps", "steps_per_epoch",    "T_max",
                                                 "total_iters", "num_training_steps", "t_initial"};
  if (op.callee == "StepLR" || op.callee == "MultiStepLR" || op.callee == "ExponentialLR")
    return false;
  std::size_t position = 0;
  for (std::size_t i = 0; i < op.arguments.size(); ++i, ++position) {
    const ir::Argument& argument = op.arguments[i];
    const bool named = horizons.contains(argument.name);
    const bool positional = argument.name.empty() && i > 0;
    if (argument.name == "steps_per_epoch") return true;
    if ((named || positional) && counts_batches(of, made.arguments[i])) return true;
  }
  return false;
}

// A schedule counted in epochs moves on with every batch, or one counted in
// batches once an epoch.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId step : of.all(Kind::SchedulerStep)) {
    const flow::Node& node = of.node(step);
    if (!node.op->arguments.empty() || reported.contains(step)) continue;
    const auto place = place_of(of, step);
    if (!place) continue;
    for (const ValueId scheduler : node.receiver) {
      const ir::Op* maker = of.maker(scheduler);
      if (maker == nullptr) continue;
      const flow::Node& made = of.node(of.value(scheduler).def);
      const bool per_batch = place->batches != flow::kNone;
      if (per_batch ? !speaks_of_epochs(of, *place, made) : !speaks_of_batches(of, made)) continue;
      reported.insert(step);
      found
          .at(step, per_batch ? "a schedule that counts epochs is stepped with every batch"
                              : "a schedule that counts batches is stepped once an epoch")
          .note(made.at, "its length is given here")
          .help(per_batch ? "step it once an epoch, after the loop over batches"
                          : "step it with every batch, after the optimizer's step");
      break;
    }
  }
}

}  // namespace

extern const Rule scheduler_wrong_unit;
constinit const Rule scheduler_wrong_unit{Level::Error, check, kinds(Kind::SchedulerStep), true};

}  // namespace forerun::rules
