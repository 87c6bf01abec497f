#include "rules/process_group.h"

#include <algorithm>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

constexpr int kDepth = 4;  // a gradient in a list in an argument

bool says_so_in_cpp(const ir::Op& op) {
  const auto spelling = op.details.find("spelling");
  if (spelling != op.details.end() && spelling->second.starts_with("c10d::")) return true;
  return op.callee == "MPI_Init" || op.callee == "MPI_Init_thread" ||
         op.callee == "ncclCommInitRank";
}

bool holds_gradients(const Analysis& of, const Values& values, int depth) {
  if (depth > kDepth) return false;
  return std::any_of(values.begin(), values.end(), [&](ValueId id) {
    const ir::Op* maker = of.maker(id);
    if (maker != nullptr && maker->kind == Kind::GradRead) return true;
    const flow::Value& one = of.value(id);
    if (one.form == flow::Value::Form::Member && one.step == "grad") return true;
    const bool packed =
        maker != nullptr &&
        (maker->kind == Kind::Pack || maker->kind == Kind::Detach || maker->kind == Kind::Tensor);
    return holds_gradients(of, one.contents, depth + 1) ||
           (packed && holds_gradients(of, one.inputs, depth + 1));
  });
}

}  // namespace

std::optional<Location> several_processes(const Analysis& of, bool groups) {
  const ir::Program& program = *of.graph().program;
  if (program.language == ir::Language::Cpp) {
    const std::vector<NodeId> said = of.where(
        [](const flow::Node& node) { return node.op != nullptr && says_so_in_cpp(*node.op); });
    return said.empty() ? std::nullopt : std::optional(of.node(said.front()).at);
  }
  std::optional<Location> found;
  each_operation(program, [&](const Site& site) {
    if (found) return;
    const ir::Op& op = *site.op;
    const bool wraps = op.kind == Kind::Construct && op.callee == "DistributedDataParallel";
    if (wraps || (groups && op.callee == "init_process_group")) found = op.at;
  });
  return found;
}

std::vector<NodeId> gradient_reductions(const Analysis& of) {
  std::vector<NodeId> found;
  for (const NodeId id : of.all(Kind::Call)) {
    const flow::Node& node = of.node(id);
    const std::string& name = node.op->callee;
    if (name != "allreduce" && name != "all_reduce" && name != "allreduce_coalesced") continue;
    if (std::any_of(node.arguments.begin(), node.arguments.end(),
                    [&](const Values& given) { return holds_gradients(of, given, 0); }))
      found.push_back(id);
  }
  return found;
}

}  // namespace forerun::rules
