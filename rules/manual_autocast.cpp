#include "rules/manual_autocast.h"

namespace forerun::rules {
namespace {

bool is_switch(const ir::Op& op) {
  const std::string& name = op.callee;
  if (name == "set_autocast_enabled") return true;
  const auto spelling = op.details.find("spelling");
  const bool of_autocast =
      spelling != op.details.end() && spelling->second.find("autocast") != std::string::npos;
  return of_autocast && name.starts_with("set_") && name.ends_with("enabled") &&
         name.find("cache") == std::string::npos;
}

}  // namespace

std::uint32_t autocast_trigger(const ir::Op& op) {
  return op.kind == ir::Kind::Call && !op.arguments.empty() && is_switch(op);
}

std::optional<bool> sets_autocast(const flow::Node& node) {
  if (node.op == nullptr || autocast_trigger(*node.op) == 0) return std::nullopt;
  const std::string on = ir::to_string(node.op->arguments.back().value);
  if (on == "true") return true;
  if (on == "false") return false;
  return std::nullopt;
}

std::string autocast_device(const flow::Node& node) {
  const ir::Op& op = *node.op;
  if (op.arguments.size() > 1) return ir::to_string(op.arguments.front().value);
  if (op.callee == "set_enabled" || op.callee == "set_autocast_enabled") return "\"cuda\"";
  // set_cpu_enabled -> "cpu"
  return "\"" + op.callee.substr(4, op.callee.size() - 4 - std::string("_enabled").size()) + "\"";
}

}  // namespace forerun::rules
