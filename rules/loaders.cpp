#include "rules/loaders.h"

#include <algorithm>

#include "rules/declarations.h"

namespace forerun::rules {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

std::vector<LoaderUse> loader_uses(const Analysis& of) {
  std::vector<LoaderUse> found;
  for (const NodeId made : of.all({Kind::Construct, Kind::Call})) {
    const flow::Node& node = of.node(made);
    if (node.op->callee != "DataLoader" || node.results.empty()) continue;
    for (LoopId loop = 0; loop < static_cast<LoopId>(of.graph().loops.size()); ++loop) {
      const NodeId head = of.loop(loop).head;
      if (head != flow::kNone && of.loop(loop).source != nullptr &&
          flow::intersect(of.node(head).receiver, node.results.front()))
        found.push_back({made, loop});
    }
  }
  return found;
}

bool is_training_loop(const Analysis& of, LoopId loop) {
  const std::vector<NodeId> protocol = of.all({Kind::Backward, Kind::Step, Kind::ScalerStep});
  return std::any_of(protocol.begin(), protocol.end(),
                     [&](NodeId node) { return of.graph().in(loop, node); });
}

std::string dataset_class(const Analysis& of, NodeId loader) {
  const flow::Node& node = of.node(loader);
  for (std::size_t i = 0; i < node.op->arguments.size(); ++i) {
    if (i > 0 && node.op->arguments[i].name != "dataset") continue;
    for (const ValueId one : node.arguments[i]) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr) continue;
      if (maker->kind == Kind::Construct || maker->kind == Kind::Call) return maker->callee;
    }
  }
  return "";
}

bool is_iterable_dataset(const Analysis& of, NodeId loader) {
  const std::string name = dataset_class(of, loader);
  if (mentions(name, {"iterable", "webdataset", "stream", "chunk"})) return true;
  const ir::Class* own = class_named(*of.graph().program, name);
  if (own == nullptr) return false;
  return std::any_of(own->bases.begin(), own->bases.end(), [](const std::string& base) {
    return mentions(base, {"iterable", "stream"});
  });
}

bool is_given(const ir::Op& loader, const char* name, std::size_t position) {
  const ir::Argument* given = argument(loader, name, position);
  const std::string* literal = given == nullptr ? nullptr : literal_of(given->value);
  return given != nullptr && (literal == nullptr || *literal != "none");
}

bool is_literal_false(const ir::Op& loader, const char* name, std::size_t position) {
  const ir::Argument* given = argument(loader, name, position);
  const std::string* literal = given == nullptr ? nullptr : literal_of(given->value);
  return literal != nullptr && (*literal == "false" || *literal == "0");
}

bool has_open_arguments(const ir::Op& op) {
  return std::any_of(op.arguments.begin(), op.arguments.end(),
                     [](const ir::Argument& one) { return one.name == "*" || one.name == "**"; });
}

bool is_for_evaluation(const Analysis& of, NodeId loader) {
  const ir::Op& op = *of.node(loader).op;
  std::string text;
  for (const ir::Place& result : op.results) text += to_string(result) + " ";
  if (!op.arguments.empty()) text += ir::to_string(op.arguments.front().value);
  return mentions(text,
                  {"val", "test", "eval", "dev", "infer", "pred", "query", "gallery", "calib"});
}

}  // namespace forerun::rules
