// What one file says about its names before anything is lowered: imports, scopes, classes,
// functions, what each name is ever given, and what each value is ever used for. One pass over the
// tree.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/python/syntax.h"

namespace forerun::python {

// What is known of a value.
struct Knowledge {
  ir::Role role = ir::Role::Unknown;
  int cls = -1;                 // the file's own class it is an instance of
  std::string_view class_name;  // the lexicon's class it is an instance of
};

enum class How : std::uint8_t {
  Value,      // name = node
  Element,    // for name in node; index-th of the targets
  Unpacked,   // …, name, … = node; index-th
  Context,    // with node as name
  Augmented,  // name += node
  Opaque,     // except … as name, match captures, del
};

struct Fact {
  How how;
  Id node;    // 0 when there is no expression
  int index;  // of the target, -1 when it is the only one
  int scope;  // where the expression stands
  int next;   // the variable's next fact, -1 at the end
};

struct Variable {
  std::string_view name;
  std::string_view place;  // as written: "self.x" of a member
  int first_fact = -1, last_fact = -1;
  int function = -1;  // defined by def
  int cls = -1;       // defined by class
  int import = -1;    // bound by an import
  Id annotation = 0;
  Id default_value = 0;
  int parameter = -1;      // its position
  int self_class = -1;     // the object of a method of this class
  int names_class = -1;    // the class itself: cls of a class method
  unsigned uses = 0;       // bits of Facts::uses, of this variable alone
  bool elsewhere = false;  // global, nonlocal: look further out
  enum class State : std::uint8_t { Open, Busy, Known } state = State::Open;
  Knowledge known;
  unsigned seen_in = 0;  // the last function lowered that named it
};

enum class ScopeKind : std::uint8_t { Module, Class, Function, Lambda };

struct Scope {
  ScopeKind kind = ScopeKind::Module;
  Id node = 0;
  int parent = -1;
  int cls = -1;       // Class: itself; Function: the class whose method it is
  int function = -1;  // Function
  std::vector<Variable*> variables;
};

struct FunctionInfo {
  std::string_view name;
  Id node = 0;
  int scope = -1;
  int cls = -1;  // the class whose method it is
  bool has_self = false;
  bool is_static = false, is_classmethod = false, is_property = false, is_generator = false;
  std::vector<Id> returns;  // the values of its return statements
  Variable::State state = Variable::State::Open;
  Knowledge result;
};

struct Base {
  std::string_view name;  // as written, last part
  std::string qualified;  // through the imports; empty for a class of the file
  int cls = -1;
};

struct ClassInfo {
  std::string_view name;
  Id node = 0;
  int scope = -1;
  std::vector<Base> bases;
  std::unordered_map<std::string_view, int> methods;
  Variable::State state = Variable::State::Open;
  ir::Role role = ir::Role::Unknown;  // of its instances
};

// Bits of Facts::uses: one a role, by its number, and the four methods that only tell together.
inline constexpr unsigned kUsesZeroGrad = 1U << 24, kUsesStep = 1U << 25, kUsesScale = 1U << 26,
                          kUsesUpdate = 1U << 27;

class Facts {
 public:
  explicit Facts(const Tree& tree);

  const Tree& tree;
  std::vector<std::string> modules;  // imported, as written
  std::vector<std::string> imports;  // qualified names that variables are bound to
  std::vector<std::string> stars;    // modules imported with *
  std::vector<Fact> facts;
  std::vector<Scope> scopes;  // 0 is the module
  std::vector<FunctionInfo> functions;
  std::vector<ClassInfo> classes;
  std::unordered_map<std::string_view, unsigned> uses;  // by the text of the receiver

  int scope_of(Id node) const;
  int function_of(Id node) const;
  int class_of(Id node) const;

  // The variable a name means in a scope, or null. As Python does, methods do not see the class
  // body.
  Variable* find(int scope, std::string_view name);
  Variable* find_here(int scope, std::string_view name);
  // A member of a class of the file or of its bases in the file.
  Variable* find_member(int cls, std::string_view name, int depth = 0);
  int find_method(int cls, std::string_view name, int depth = 0) const;

  // The names of a name or attribute chain, root first; empty for anything else.
  std::vector<std::string_view> chain(Id node) const;
  // "torch.nn.functional.mse_loss" for F.mse_loss: a name or an attribute chain whose root is
  // imported, or "".
  std::string qualified(Id node, int scope);
  // The text of a name or of an attribute chain without calls; empty for anything else.
  std::string_view place_text(Id node) const;

 private:
  friend class FactsBuilder;
  struct Key {
    int scope;
    std::string_view name;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) ^
             (static_cast<std::size_t>(key.scope) * 0x9e3779b97f4a7c15ULL);
    }
  };
  std::unordered_map<Key, Variable*, KeyHash> table_;
  std::deque<Variable> variables_;
  std::unordered_map<Id, int> scope_by_node_, function_by_node_, class_by_node_;
};

}  // namespace forerun::python
