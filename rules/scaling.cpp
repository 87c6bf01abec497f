#include "rules/scaling.h"

#include <algorithm>

namespace forerun::rules {

using flow::Analysis;
using flow::NodeId;
using flow::Values;
using ir::Kind;

bool updates(const Analysis& of, NodeId id, const Values& scaler) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::ScalerUpdate)) return flow::intersect(node.receiver, scaler);
  return of.may_touch(id, scaler);
}

bool updates_somewhere(const Analysis& of, const Values& scaler) {
  const std::vector<NodeId> all = of.where([](const flow::Node& node) {
    return node.op != nullptr || node.form == flow::Node::Form::Scope;
  });
  return std::any_of(all.begin(), all.end(), [&](NodeId id) { return updates(of, id, scaler); });
}

bool is_one_of_many(const Analysis& of, const Values& optimizer) {
  return optimizer.size() != 1 ||
         std::any_of(optimizer.begin(), optimizer.end(), [&](flow::ValueId one) {
           const flow::Value& value = of.value(one);
           const ir::Op* maker = of.maker(one);
           return value.form == flow::Value::Form::Element || value.step.starts_with("[") ||
                  (maker != nullptr && maker->kind == Kind::Index);
         });
}

}  // namespace forerun::rules
