#include "rules/rule.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/element_type.h"

namespace forerun::rules {
namespace {

bool is_integral(const std::string& type) {
  static const std::set<std::string> known = {
      "int",    "long",    "short",     "char", "int64_t",       "int32_t",     "int16_t",
      "int8_t", "uint8_t", "long long", "bool", "unsigned char", "signed char", "unsigned int"};
  return known.contains(type);
}

// Cut or not, a size is below a whole number or it is not: while (norm.item<int>() < 1000).
bool only_compared(const flow::Analysis& of, const flow::Node& read) {
  if (read.results.empty() || read.results.front().empty()) return false;
  const flow::Values& result = read.results.front();
  const std::vector<flow::NodeId> uses = of.uses(result);
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](flow::NodeId use) {
    const flow::Node& node = of.node(use);
    if (!node.is(ir::Kind::Arith) || (node.op->callee != "lt" && node.op->callee != "ge"))
      return false;
    const std::string* bound =
        node.op->arguments.size() == 2 ? literal_of(node.op->arguments[1].value) : nullptr;
    return bound != nullptr && *bound != "0" && bound->find('.') == std::string::npos &&
           flow::intersect(node.arguments[0], result);
  });
}

// item<int>() of a floating tensor cuts off what is behind the point; a loss becomes 0.
void check(const flow::Analysis& of, Findings& found) {
  if (of.graph().program->language != ir::Language::Cpp) return;
  for (const flow::NodeId read : of.all(ir::Kind::HostRead)) {
    const flow::Node& node = of.node(read);
    const auto type = node.op->details.find("template");
    if (node.op->callee != "item" || type == node.op->details.end() || !is_integral(type->second))
      continue;
    if (element_type(of, node.receiver) != ElementType::Float || only_compared(of, node)) continue;
    found
        .at(read, fmt::format("item<{}>() cuts a floating-point value to an integer", type->second))
        .help("read it as item<float>() or item<double>()");
  }
}

std::uint32_t trigger(const ir::Op& op) {
  return op.kind == ir::Kind::HostRead && op.details.contains("template");
}

}  // namespace

extern const Rule item_wrong_type;
constinit const Rule item_wrong_type{Level::Error, check,   kinds(ir::Kind::HostRead),
                                     false,        nullptr, {trigger}};

}  // namespace forerun::rules
