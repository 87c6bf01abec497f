// ATen's operators by the names an exported graph calls them, over the builder's: what a node's
// arguments are, and which of our operators it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimator/graph/builder.h"
#include "estimator/graph/functional.h"
#include "estimator/readers/exported_program.h"

namespace forerun::graph {

// What the names of an exported graph stand for while it runs.
struct AtenScope {
  std::map<std::string, Name, std::less<>> tensors;
  std::map<std::string, std::int64_t, std::less<>> integers;
  std::set<std::string, std::less<>> trains;  // tensors that a gradient flows to
};

// One node with its arguments, by the names of the operator's schema. An argument that is absent or
// None gives the fallback, which is the schema's default. The first error stays with the builder;
// what is asked after it gives empty values.
class AtenCall {
 public:
  AtenCall(Builder& builder, const readers::Node& node, const AtenScope& scope)
      : builder_(builder), node_(node), scope_(scope) {}

  Builder& builder() const { return builder_; }
  const readers::Node& node() const { return node_; }
  const AtenScope& scope() const { return scope_; }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool is_tensor(std::string_view name) const;
  // A gradient flows to one of the tensors it reads.
  bool trains() const;
  Name tensor(std::string_view name) const;  // required
  Name maybe_tensor(std::string_view name) const;
  std::vector<Name> tensors(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  Shape integers(std::string_view name, const Shape& fallback = {}) const;
  bool flag(std::string_view name, bool fallback) const;
  double number(std::string_view name, double fallback) const;
  std::string text(std::string_view name, const std::string& fallback) const;
  std::optional<DType> type(std::string_view name) const;
  // The dimension of a tensor, counted from the front.
  std::int64_t dim(const Name& of, std::string_view name, std::int64_t fallback) const;

  // "node 'linear_1' (torch.ops.aten.linear.default, net.0): <what>"
  void refuse(const std::string& what) const;

 private:
  const readers::Argument* find(std::string_view name) const;
  std::optional<std::int64_t> value_of(const readers::Integer& integer) const;

  Builder& builder_;
  const readers::Node& node_;
  const AtenScope& scope_;
};

struct AtenOperator {
  std::string_view name;  // "linear.default"; of Python's own and torch's with their module
  std::vector<Name> (*run)(const AtenCall& call);
};

std::span<const AtenOperator> aten_views();
std::span<const AtenOperator> aten_pointwise();
std::span<const AtenOperator> aten_reductions();
std::span<const AtenOperator> aten_layers();
std::span<const AtenOperator> aten_factories();

// Null where there is none.
const AtenOperator* find_aten(std::string_view target);

// A list that takes over its operands instead of copying them.
template <class... Names>
std::vector<Name> names_of(Names&&... names) {
  std::vector<Name> made;
  (made.push_back(std::forward<Names>(names)), ...);
  return made;
}

}  // namespace forerun::graph
