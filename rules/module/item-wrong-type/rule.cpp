#include "rules/rule.h"

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

// item<int>() of a floating tensor cuts off what is behind the point; a loss becomes 0.
void check(const flow::Analysis& of, Findings& found) {
  if (of.graph().program->language != ir::Language::Cpp) return;
  for (const flow::NodeId read : of.all(ir::Kind::HostRead)) {
    const flow::Node& node = of.node(read);
    const auto type = node.op->details.find("template");
    if (node.op->callee != "item" || type == node.op->details.end() || !is_integral(type->second))
      continue;
    if (element_type(of, node.receiver) != ElementType::Float) continue;
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
