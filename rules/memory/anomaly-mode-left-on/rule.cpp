#include "rules/rule.h"

#include <optional>

#include "analyzer/ir/walk.h"
#include "rules/exact_text.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

bool switches_on(const flow::Node& node) {
  if (node.is(Kind::Call)) {
    return node.op->callee == "set_detect_anomaly" &&
           flow::literal_argument(*node.op, "mode", 0) == "true";
  }
  if (node.form != flow::Node::Form::Scope || node.scope_ir == nullptr) return false;
  const ir::Scope& scope = *node.scope_ir;
  const bool named = scope.callee == "detect_anomaly" || scope.callee == "set_detect_anomaly" ||
                     scope.callee == "DetectAnomalyGuard";
  if (!named) return false;
  for (const ir::Argument& argument : scope.arguments) {
    if (argument.name == "check_nan") continue;
    if (ir::to_string(argument.value) != "true") return false;
  }
  return true;
}

bool block_trains(const ir::Block& block) {
  for (const ir::Node& node : block) {
    const auto* op = std::get_if<ir::Op>(&node.value);
    bool found = op != nullptr && (op->kind == Kind::Step || op->kind == Kind::ScalerStep);
    ir::each_block(node, [&](const ir::Block& inner) { found = found || block_trains(inner); });
    if (found) return true;
  }
  return false;
}

bool trains(const ir::Program& program) {
  for (const ir::Function& function : program.functions) {
    if (block_trains(function.body)) return true;
  }
  return false;
}

// `if __name__ == "__main__":` is no choice.
bool is_main_guard(const Analysis& of, NodeId branch) {
  for (const flow::ValueId one : of.sources(of.node(branch).receiver)) {
    if (of.value(one).step == "__name__") return true;
  }
  return false;
}

bool is_optional(const Analysis& of, NodeId id) {
  for (const Analysis::Guard& guard : of.guards(id)) {
    if (!is_main_guard(of, guard.branch)) return true;
  }
  return false;
}

bool switched_off_again(const Analysis& of, NodeId on) {
  for (const NodeId id : of.all(Kind::Call)) {
    const ir::Op& op = *of.node(id).op;
    if (op.callee == "set_detect_anomaly" && id > on &&
        flow::literal_argument(op, "mode", 0) == "false")
      return true;
  }
  return false;
}

// Anomaly detection records a traceback for every operation and checks every
// gradient: training runs at half its speed or less.
void check(const Analysis& of, Findings& found) {
  for (const NodeId id : of.where(switches_on)) {
    if (!trains(*of.graph().program)) return;
    if (is_optional(of, id) || switched_off_again(of, id)) continue;
    auto draft = found.at(id,
                          "anomaly detection is always on: every operation of training "
                          "is traced and checked");
    draft.help("switch it on with a debug flag, to look for a NaN");
    const ir::Op* op = of.node(id).op;
    const std::string was = "set_detect_anomaly(True)";
    const auto place = op == nullptr ? std::nullopt : tail_of(*op, was.size());
    if (place) draft.fix("switch it off", *place, "set_detect_anomaly(False)", was);
  }
}

}  // namespace

extern const Rule anomaly_mode_left_on;
constinit const Rule anomaly_mode_left_on{
    Level::Warning, check, kinds(Kind::Step, Kind::ScalerStep), false, nullptr, {nullptr, 0}};

}  // namespace forerun::rules
