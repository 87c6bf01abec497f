// One spelling for what the two languages and the API's versions write differently.
#include <algorithm>
#include <initializer_list>

#include "analyzer/lexicon/lexicon.h"

namespace forerun::lexicon {
namespace {

using ir::Kind;

bool is_literal(const ir::Argument& argument, std::string_view text) {
  const auto* literal = std::get_if<ir::Literal>(&argument.value);
  return literal != nullptr && literal->text == text;
}

bool is_flag(const ir::Argument& argument) {
  return is_literal(argument, "true") || is_literal(argument, "false");
}

// The names of positional parameters, where the IR writes them by name.
void name_positional(ir::Op& op, std::initializer_list<std::string_view> names) {
  std::size_t at = 0;
  for (std::string_view name : names) {
    if (at >= op.arguments.size()) return;
    ir::Argument& argument = op.arguments[at++];
    if (argument.name.empty() && !name.empty()) argument.name = name;
  }
}

void drop(ir::Op& op, std::string_view name, std::initializer_list<std::string_view> defaults) {
  std::erase_if(op.arguments, [&](const ir::Argument& each) {
    if (each.name != name) return false;
    return std::any_of(defaults.begin(), defaults.end(),
                       [&](std::string_view text) { return is_literal(each, text); });
  });
}

void normalise_backward(ir::Op& op) {
  // torch.distributed.autograd.backward(context, losses): the context is no loss.
  const auto spelling = op.details.find("spelling");
  if (spelling != op.details.end() && spelling->second.starts_with("torch.distributed") &&
      !op.arguments.empty()) {
    op.arguments.erase(op.arguments.begin());
  }
  if (op.receiver) {
    name_positional(op, {"gradient", "retain_graph", "create_graph", "inputs"});
  } else {
    name_positional(op, {"", "gradient", "retain_graph", "create_graph"});
  }
  drop(op, "gradient", {"none"});
  drop(op, "retain_graph", {"none", "false"});
  drop(op, "create_graph", {"false"});
  drop(op, "inputs", {"none"});
  for (ir::Argument& each : op.arguments) {
    if (each.name == "gradient") each.name.clear();
  }
}

void normalise_train(ir::Op& op) {
  if (!op.arguments.empty() && op.arguments[0].name == "mode") op.arguments[0].name.clear();
  if (op.arguments.size() != 1 || !is_flag(op.arguments[0])) return;
  if (is_literal(op.arguments[0], "false")) op.kind = Kind::EvalMode;
  op.arguments.clear();
}

// set_autocast_enabled(true) is CUDA's; set_autocast_cpu_enabled(true) names its device in the
// function. Both are set_autocast_enabled (device, enabled=true).
void normalise_autocast(ir::Op& op) {
  constexpr std::string_view before = "set_autocast_", after = "_enabled";
  const bool by_argument = op.callee == "set_autocast_enabled";
  const std::string_view name = op.callee;
  if (!by_argument && !(name.starts_with(before) && name.ends_with(after) &&
                        name.size() > before.size() + after.size()))
    return;
  const std::string device =
      by_argument
          ? "cuda"
          : std::string(name.substr(before.size(), name.size() - before.size() - after.size()));
  if (device == "cache") return;  // whether weights that were cast are kept
  if (op.arguments.size() == 1)
    op.arguments.insert(op.arguments.begin(), {"", ir::Literal{"\"" + device + "\""}});
  op.callee = "set_autocast_enabled";
  name_positional(op, {"", "enabled"});
}

// Classes whose arguments LibTorch takes by position and Python programs give by name.
void normalise_construct(ir::Op& op) {
  if (op.callee == "StepLR") return name_positional(op, {"", "step_size", "gamma"});
  if (op.callee == "DataLoader") {
    return name_positional(
        op, {"", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers"});
  }
}

}  // namespace

void normalise(ir::Op& op) {
  switch (op.kind) {
    case Kind::Call: return normalise_autocast(op);
    case Kind::Construct: return normalise_construct(op);
    case Kind::Backward: return normalise_backward(op);
    case Kind::ZeroGrad: return name_positional(op, {"set_to_none"});
    case Kind::TrainMode: return normalise_train(op);
    case Kind::RequiresGrad:
      if (op.arguments.empty()) op.arguments.push_back({"", ir::Literal{"true"}});
      op.arguments[0].name.clear();
      return;
    case Kind::Move:
      if (op.arguments.size() > 1 && op.arguments[1].name.empty() && is_flag(op.arguments[1])) {
        op.arguments[1].name = "non_blocking";
      }
      return;
    case Kind::Print:
      op.receiver.reset();  // logger.info(x) shows x
      std::erase_if(op.arguments, [](const ir::Argument& each) {
        return each.name == "sep" || each.name == "end" || each.name == "file" ||
               each.name == "flush";
      });
      return;
    case Kind::TensorInPlace:
    case Kind::Step:
      // A free function of these kinds works on its first argument.
      if (op.receiver || op.arguments.empty() || !op.arguments[0].name.empty()) return;
      op.receiver = op.arguments[0].value;
      op.arguments.erase(op.arguments.begin());
      return;
    default: return;
  }
}

}  // namespace forerun::lexicon
