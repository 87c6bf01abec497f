#include "rules/rule.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

bool is_false(const ir::Op& op, const char* name) {
  const ir::Argument* given = argument(op, name, 99);
  const std::string* literal = given == nullptr ? nullptr : literal_of(given->value);
  return literal != nullptr && *literal == "false";
}

bool has_weights(const ir::Op& op) {
  static const std::set<std::string> exact = {
      "Linear",    "Bilinear",          "LazyLinear", "LSTM",      "GRU",
      "RNN",       "LSTMCell",          "GRUCell",    "RNNCell",   "PReLU",
      "Embedding", "EmbeddingBag",      "LayerNorm",  "GroupNorm", "RMSNorm",
      "Parameter", "MultiheadAttention"};
  if (is_false(op, "affine") || is_false(op, "elementwise_affine") ||
      is_false(op, "requires_grad"))  // a constant in a Parameter's clothes
    return false;
  if (exact.contains(op.callee)) return true;
  for (const char* start : {"Conv1d", "Conv2d", "Conv3d", "ConvTranspose", "LazyConv", "BatchNorm",
                            "SyncBatchNorm", "Transformer"}) {
    if (op.callee.starts_with(start)) return true;
  }
  return false;
}

// A class of the program whose constructor makes weights.
bool own_with_weights(const ir::Program& program, const std::string& name) {
  const ir::Class* own = class_named(program, name);
  if (own == nullptr || !is_module_class(program, *own)) return false;
  const ir::Function* constructor = method_of(program, name, "__init__");
  if (constructor == nullptr) return false;
  bool found = false;
  each_operation(*constructor, [&](const Site& site) {
    found |= site.op->kind == Kind::Construct && has_weights(*site.op);
  });
  return found;
}

// Kept in a member under a condition: made once, when the shape is known.
bool is_lazy(const Site& site) { return !site.branches.empty(); }

// A layer made in forward has new random weights each time, and no optimizer knows them.
void declarations(const ir::Program& program, Findings& found) {
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (op.kind != Kind::Construct) return;
    const ir::Class* owner = class_named(program, site.function->owner);
    if (owner == nullptr || !is_module_class(program, *owner)) return;
    const std::string& name = site.function->name;
    if (name != owner->name + ".forward" && name != owner->name + "._forward" &&
        name != owner->name + ".__call__")
      return;
    if (is_lazy(site) || (!has_weights(op) && !own_with_weights(program, op.callee))) return;
    found.at(op.at, fmt::format("a {} with new weights is made in every forward", op.callee))
        .note(owner->at, "its weights are no parameters of this module when the optimizer is made")
        .help(program.language == ir::Language::Cpp
                  ? "make it in the constructor and register it"
                  : "make it in __init__ as a member and call it here");
  });
}

}  // namespace

extern const Rule module_built_in_forward;
constinit const Rule module_built_in_forward{Level::Error, nullptr, kinds(Kind::Construct), false,
                                             declarations};

}  // namespace forerun::rules
