// The training event IR: what a training program does, in one language for C++ and Python.
//
// A Program is lowered from one source file (Python) or one translation unit (C++). Control flow is
// structure, expressions are flat operations in evaluation order, names are the user's own.
// docs/ir.md states how each construct of either language is lowered; two programs that do the same
// print the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/source.h"

namespace forerun::ir {

enum class Kind {
#define KIND(enumerator, text, meaning) enumerator,
#include "analyzer/ir/kinds.def"
};
inline constexpr std::size_t kKinds = 0
#define KIND(enumerator, text, meaning) +1
#include "analyzer/ir/kinds.def"
    ;
std::string_view name(Kind kind);
std::optional<Kind> kind_from_name(std::string_view text);

// What is known of a value's type: always in C++, in Python from constructors, annotations and use.
enum class Role {
  Unknown,
  Tensor,
  Module,
  Optimizer,
  Scheduler,
  Scaler,
  Loader,
  LossModule,
  Number,
  Text,
  Container,
  Other
};
std::string_view name(Role role);

// A name the program can write to or read from: a root and the steps followed from it.
//   loss   self.total   batch.data   history[]   %3 (a temporary)
// "self" is the object of a method in both languages; "[]" stands for some element.
struct Place {
  std::string root;
  std::vector<std::string> steps;

  bool is_temporary() const { return !root.empty() && root.front() == '%'; }
  auto operator<=>(const Place&) const = default;
};
std::string to_string(const Place& place);

// Literals are normalised: true/false, none, numbers without suffixes, strings in double quotes.
struct Literal {
  std::string text;
  auto operator<=>(const Literal&) const = default;
};

// A function, lambda or closure named as a value.
struct FunctionReference {
  std::string name;
  auto operator<=>(const FunctionReference&) const = default;
};

// What the front end could not name; printed as "?".
struct Opaque {
  auto operator<=>(const Opaque&) const = default;
};

using Operand = std::variant<Place, Literal, FunctionReference, Opaque>;
std::string to_string(const Operand& operand);

struct Argument {
  std::string name;  // empty when positional; "*" and "**" when spread
  Operand value;
};

// One thing that happens.   results = kind:callee receiver (arguments)
struct Op {
  Kind kind = Kind::Call;
  std::string callee;  // canonical (Python's) last name; empty when it is the kind's own text
  std::vector<Place> results;
  std::optional<Operand> receiver;
  std::vector<Argument> arguments;
  Location at;  // the whole expression or statement
  Role result_role = Role::Unknown;
  // What only one language writes and rules of that language read; never printed, so that twins
  // stay equal. "template" -> "float" for item<float>(), "spelling" -> the full API name as
  // resolved.
  std::map<std::string, std::string> details;
};

struct Node;
using Block = std::vector<Node>;

struct Loop {
  enum class Form { Each, Counted, While };
  Form form = Form::Each;
  std::vector<Place> targets;  // Each: what an element is bound to, flattened; Counted: the counter
  std::optional<Operand> iterable;  // Each: what is iterated; Counted: the bound
  Block head;  // While: the operations of the condition, run before each iteration
  std::optional<Operand> condition;  // While; absent or literal true: only a break leaves
  Block body;
  Block otherwise;  // Python's for/while ... else
  Location at;      // of the header
};

struct Branch {
  Operand condition;
  Block then_body;
  Block else_body;
  Location at;
};

// A `with` block or the rest of a block after a C++ guard object.
struct Scope {
  enum class Form { NoGrad, EnableGrad, InferenceMode, SetGradEnabled, Autocast, Other };
  Form form = Form::Other;
  std::string callee;  // the guard's canonical name
  std::vector<Argument> arguments;
  std::optional<Place> target;  // with ... as target
  Block body;
  Location at;
};
std::string_view name(Scope::Form form);

struct Try {
  Block body;
  std::vector<Block> handlers;
  Block otherwise;  // Python's else
  Block finally;
  Location at;
};

struct Jump {
  enum class Form { Return, Break, Continue, Raise, Yield };
  Form form = Form::Return;
  std::vector<Operand> values;
  Location at;
};
std::string_view name(Jump::Form form);

struct Function;

// A nested function or lambda, defined where it stands.
struct Define {
  std::shared_ptr<Function> function;
};

struct Node {
  std::variant<Op, Loop, Branch, Scope, Try, Jump, Define> value;
};

struct Function {
  std::string
      name;  // "fit"; "RunningMean.push" for a method; "<module>" for Python's top level; "lambda1"
  std::string owner;                    // the class of a method, else empty
  std::vector<std::string> parameters;  // without self
  std::map<Place, Role> roles;          // what is known of parameters, locals and members used here
  Block body;
  Location at;  // of the header
};

struct Class {
  std::string name;                // C++: without the Impl suffix of a module
  std::vector<std::string> bases;  // canonical names: "Module", "Dataset"
  std::map<Place, Role> members;   // "self.x" -> role
  Location at;
};

struct Comment {
  std::string text;  // without the comment marks
  Location at;
  bool own_line = false;  // nothing but white space before it
};

// What other files of the run define and this program calls (analyzer/link). It is followed where
// it is called and is no entry point; its names begin with a number for its file, "@0.train". Never
// printed: it is printed with its own file.
struct Linked {
  std::vector<Class> classes;
  std::vector<Function> functions;
  std::vector<Comment> comments;  // of the files they come from
};

enum class Language { Cpp, Python };

struct Program {
  std::string path;
  Language language = Language::Python;
  std::vector<std::string> imports;  // Python modules, C++ include names, as written
  std::vector<Class> classes;
  std::vector<Function> functions;  // in source order; methods among them
  std::vector<Comment> comments;
  std::vector<std::string> notes;  // what the front end could not do, said aloud
  // Python: what an import binds a name of the top level to, "train" -> "engine.train"; and the
  // modules all of whose names are imported.
  std::map<std::string, std::string> bindings;
  std::vector<std::string> star_imports;
  Linked linked;
};

// The printed form, without positions: what tests compare. docs/ir.md gives its grammar.
std::string print(const Program& program);
std::string print(const Function& function);
std::string print(const Op& op);

}  // namespace forerun::ir
