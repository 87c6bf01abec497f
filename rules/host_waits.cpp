#include "rules/host_waits.h"

#include <algorithm>

#include "rules/training.h"

namespace forerun::rules {

using flow::Analysis;
using flow::Device;
using flow::NodeId;
using flow::Values;
using ir::Kind;

bool moves_to_host(const flow::Node& node) {
  if (!node.is(Kind::Move) || node.op->callee != "to") return false;
  return std::any_of(node.op->arguments.begin(), node.op->arguments.end(),
                     [](const ir::Argument& argument) {
                       const std::string text = ir::to_string(argument.value);
                       return text == "\"cpu\"" || text == "cpu" || text == "kCPU";
                     });
}

bool is_non_blocking(const flow::Node& node) {
  return node.op != nullptr && is_non_blocking(*node.op);
}

bool is_non_blocking(const ir::Op& op) {
  return flow::literal_argument(op, "non_blocking", 99) == "true";
}

std::optional<HostWait> host_wait_at(const Analysis& of, NodeId id) {
  const flow::Node& node = of.node(id);
  Values given;
  for (const Values& argument : node.arguments) flow::add(given, argument);
  if (node.is(Kind::HostRead) || moves_to_host(node)) {
    const Values& read = node.op->receiver ? node.receiver : given;
    if (node.op->callee == "numpy") return std::nullopt;  // raises for a tensor on the device
    if (of.device(read) != Device::Device || is_non_blocking(node)) return std::nullopt;
    const std::string name = node.is(Kind::Move) ? "to(\"cpu\")" : node.op->callee + "()";
    return HostWait{id, name, read};
  }
  if (node.is(Kind::Print) || node.is(Kind::Format)) {
    if (of.device(given) != Device::Device) return std::nullopt;
    return HostWait{id, node.is(Kind::Print) ? "printing a tensor" : "formatting a tensor", given};
  }
  if (node.form == flow::Node::Form::Branch && of.device(node.receiver) == Device::Device) {
    return HostWait{id, "a condition on a tensor", node.receiver};
  }
  return std::nullopt;
}

bool may_wait(const Analysis& of, NodeId id) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::Synchronize) || node.is(Kind::HostRead) || moves_to_host(node))
    return !is_non_blocking(node);
  if (host_wait_at(of, id)) return true;
  if (!node.is(Kind::Call) || node.expanded) return false;
  for (const char* word : {"synchronize", "sync", "wait", "block", "elapsed_time", "barrier"}) {
    if (node.op->callee.find(word) != std::string::npos) return true;
  }
  const Values reads = reads_of(node);
  return of.may_touch(id, reads) && of.device(reads) != Device::Host;
}

}  // namespace forerun::rules
