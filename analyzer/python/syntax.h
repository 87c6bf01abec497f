// One Python file as a flat tree in source order: what lowering walks, twice, without tree-sitter's
// per-node cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"
#include "core/result.h"

namespace forerun::python {

enum class Type : std::uint8_t {
#define SYNTAX(enumerator, name) enumerator,
#include "analyzer/python/syntax_types.def"
  Token,    // an operator, or a colon of a slice
  TooDeep,  // stands for a subtree below the depth bound
  Other,
};

enum class Field : std::uint8_t {
  None,
#define FIELD(enumerator, name) enumerator,
#include "analyzer/python/syntax_types.def"
  Other,
};

// An index into Tree::nodes. The root is 0, which is nobody's child: 0 also says "no such child".
using Id = std::uint32_t;

struct Node {
  Type type = Type::Other;
  Field field = Field::None;
  std::uint32_t begin = 0, end = 0;  // bytes
  Id after = 0;                      // the first node that is not below this one
  Id parent = 0;
};

// Nesting beyond this is not read (a note says so): it bounds the stack of everything that walks
// the tree or the IR.
inline constexpr int kDepthBound = 600;

class Tree {
 public:
  // Parses; syntax errors become notes. Errors: text with NUL bytes, text that is mostly not
  // Python.
  static Result<Tree> parse(std::string_view text, const std::string& path);

  Type type(Id id) const { return nodes_[id].type; }
  Field field(Id id) const { return nodes_[id].field; }
  const Node& node(Id id) const { return nodes_[id]; }
  Id parent(Id id) const { return nodes_[id].parent; }
  Id size() const { return static_cast<Id>(nodes_.size()); }
  std::string_view text() const { return text_; }
  std::string_view text(Id id) const {
    return text_.substr(nodes_[id].begin, nodes_[id].end - nodes_[id].begin);
  }

  Id first_child(Id id) const { return nodes_[id].after > id + 1 ? id + 1 : 0; }
  // The sibling after `child` below `parent`, or 0.
  Id next(Id parent, Id child) const {
    const Id following = nodes_[child].after;
    return following < nodes_[parent].after ? following : 0;
  }
  Id child(Id parent, Field field) const;
  Id child(Id parent, Type type) const;
  int count(Id parent) const;
  std::vector<Id> children(Id parent) const;

  Position position(std::uint32_t offset) const;
  Location location(Id id) const;
  Location location(std::uint32_t begin, std::uint32_t end) const;

  std::vector<ir::Comment> comments;
  std::vector<std::string> notes;

 private:
  friend class TreeBuilder;
  std::string_view text_;
  std::string path_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> line_starts_;
  std::uint32_t mark_size_ = 0;  // of a byte order mark
  mutable std::size_t line_hint_ = 0;
};

// for (Id child : Children(tree, parent))
class Children {
 public:
  Children(const Tree& tree, Id parent) : tree_(tree), parent_(parent) {}
  struct Iterator {
    const Tree* tree;
    Id parent, at;
    Id operator*() const { return at; }
    Iterator& operator++() {
      at = tree->next(parent, at);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {&tree_, parent_, tree_.first_child(parent_)}; }
  Iterator end() const { return {&tree_, parent_, 0}; }

 private:
  const Tree& tree_;
  Id parent_;
};

}  // namespace forerun::python
