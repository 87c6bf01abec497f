#include "rules/rule.h"

#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

bool is_dropout(const std::string& callee) {
  static const std::set<std::string> known = {
      "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"};
  return known.contains(callee);
}

bool is_literal(const ir::Argument* argument, const char* text) {
  const std::string* literal = argument == nullptr ? nullptr : literal_of(argument->value);
  return literal != nullptr && *literal == text;
}

bool drops_nothing(const ir::Op& op, std::size_t position) {
  const ir::Argument* p = argument(op, "p", position);
  return is_literal(p, "0.0") || is_literal(p, "0");
}

// F.dropout trains unless told otherwise. torch.dropout has no default: a plain true says the same.
bool ignores_mode(const ir::Op& op) {
  const std::size_t first = op.receiver ? 0 : 1;
  if (drops_nothing(op, first)) return false;
  for (const ir::Argument& one : op.arguments) {
    if (one.name == "*" || one.name == "**") return false;
  }
  const auto spelling = op.details.find("spelling");
  const bool required = argument(op, "train", 99) != nullptr ||
                        (spelling != op.details.end() && spelling->second == "torch." + op.callee);
  const ir::Argument* mode = argument(op, required ? "train" : "training", first + 1);
  return required ? is_literal(mode, "true") : mode == nullptr;
}

// if self.training: … has asked already.
bool asks_for_mode(const Site& site) {
  for (const ir::Branch* branch : site.branches) {
    const std::string text = ir::to_string(branch->condition);
    if (mentions(text, {"train", "drop"}) || text.front() == '%') return true;
  }
  return false;
}

bool means_it(const Site& site) {
  return mentions(site.function->name, {"mc_", "mcdrop", "monte", "bayes", "uncertain", "sample"});
}

// nn.Dropout(p)(x) in forward: a new module is in training mode, whatever its owner is in.
bool new_each_time(const ir::Op& op) {
  return op.kind == Kind::Construct && op.callee.find("Dropout") != std::string::npos &&
         !drops_nothing(op, 0);
}

bool sets_mode_of(const ir::Function& function, const std::vector<ir::Place>& results) {
  bool sets = false;
  each_operation(function, [&](const Site& site) {
    if (site.op->kind != Kind::TrainMode && site.op->kind != Kind::EvalMode) return;
    const ir::Place* place = site.op->receiver ? place_of(*site.op->receiver) : nullptr;
    sets |= place != nullptr && !results.empty() && *place == results.front();
  });
  return sets;
}

// Dropout that stays on in evaluation: predictions are random, and worse than the model is.
void declarations(const ir::Program& program, Findings& found) {
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    const bool functional =
        (op.kind == Kind::Tensor || op.kind == Kind::TensorInPlace) && is_dropout(op.callee);
    if (!functional && !new_each_time(op)) return;
    const ir::Class* owner = class_named(program, site.function->owner);
    if (owner == nullptr || !is_module_class(program, *owner) || means_it(site) ||
        asks_for_mode(site))
      return;
    if (functional && !ignores_mode(op)) return;
    const bool in_forward = site.function->name == owner->name + ".forward";
    if (!functional && (!in_forward || sets_mode_of(*site.function, op.results) ||
                        (!op.results.empty() && op.results.front().root == "self")))
      return;
    found
        .at(op.at,
            functional
                ? fmt::format("{} is not told the mode and stays on in evaluation", op.callee)
                : fmt::format("a {} made in forward is always in training mode", op.callee))
        .help(program.language == ir::Language::Cpp ? "pass is_training(), or make a Dropout member"
                                                    : "pass training=self.training, or make an "
                                                      "nn.Dropout in __init__");
  });
}

}  // namespace

extern const Rule dropout_ignores_eval;
constinit const Rule dropout_ignores_eval{Level::Error, nullptr, 0, false, declarations};

}  // namespace forerun::rules
