#include <algorithm>

#include <fmt/format.h>

#include "rules/activations.h"
#include "rules/declarations.h"
#include "rules/element_type.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// Probabilities of classes are floating-point targets, and right for cross_entropy: one-hot,
// softened, mixed.
bool may_be_probabilities(const Analysis& of, const Values& target) {
  for (const ValueId id : of.sources(target)) {
    if (!of.value(id).contents.empty()) return true;
    if (of.value(id).form != flow::Value::Form::Result &&
        mentions(of.value(id).step, {"soft", "prob", "hot", "mix", "teacher", "dist"}))
      return true;
    const ir::Op* maker = of.maker(id);
    if (maker == nullptr) continue;
    const flow::Node& node = of.node(of.value(id).def);
    if (maker->kind == Kind::Arith || maker->kind == Kind::Forward) return true;
    if (maker->kind == Kind::Call && !node.expanded && maker->callee != "type") return true;
    if (mentions(maker->callee,
                 {"one_hot", "softmax", "sigmoid", "scatter", "eye", "stack", "rand", "full"}))
      return true;
  }
  return false;
}

// A class index that is no integer: nll_loss raises, cross_entropy takes it for probabilities.
void check(const Analysis& of, Findings& found) {
  for (const NodeId loss : of.all(Kind::Loss)) {
    const std::string name = loss_name(of, loss);
    if (name != "cross_entropy" && name != "nll_loss") continue;
    const Values target = loss_target(of, loss);
    if (element_type(of, target) != ElementType::Float) continue;
    if (name == "cross_entropy" && may_be_probabilities(of, target)) continue;
    auto draft =
        found.at(loss, fmt::format("{} is given class indices as floating-point numbers", name));
    if (of.maker(target.front()) != nullptr)
      draft.note(of.value(target.front()).def, "they become floating-point here");
    draft.help("class indices are int64: target.long(), in C++ target.to(torch::kLong)");
  }
}

}  // namespace

extern const Rule class_target_float;
constinit const Rule class_target_float{Level::Error, check, kinds(Kind::Loss)};

}  // namespace forerun::rules
