// What a value is: the order of evidence of docs/ir.md ("What a value is"), answered when asked and
// remembered.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "analyzer/lexicon/lexicon.h"
#include "analyzer/python/facts.h"

namespace forerun::python {

class Roles {
 public:
  explicit Roles(Facts& facts) : facts_(facts), tree_(facts.tree) {}

  Knowledge of_expression(Id node, int scope, int depth = 0);
  Knowledge of_variable(Variable& variable, int depth = 0);
  // A name or attribute chain that no assignment explains: its uses in the file, then the name
  // itself.
  Knowledge of_text(std::string_view place) const;
  Knowledge of_uses(std::string_view place, unsigned bits) const;
  // An element of what is iterated; index is that of the loop's target, -1 when there is one.
  Knowledge of_element(Id iterable, int index, int scope, int depth = 0);
  Knowledge of_element_of(const Knowledge& whole, Id iterable) const;
  Knowledge of_class(int cls);
  Knowledge of_function_result(int function, int depth = 0);
  // What calling a lexicon function, class or outside function by its full name gives.
  Knowledge of_outside_call(const std::string& qualified, Id call, int scope, int depth);

  // A copy of a name that lives as long as this: what a table answers may point into the question.
  std::string_view keep(std::string_view name) { return *kept_.emplace(name).first; }

  // What a method means on what is known. Inference may be wrong: a "tensor" with items() is a
  // batch in a dictionary.
  static std::optional<lexicon::Meaning> meaning_of(ir::Role receiver, std::string_view name);

  // The full name of what a call names: through imports, or through `from torch.optim import *`.
  std::string callee_name(Id function, int scope);

 private:
  Knowledge of_call(Id call, int scope, int depth);
  Knowledge of_method_call(Id function, Id call, int scope, int depth);
  Knowledge of_attribute(Id node, int scope, int depth);
  Knowledge of_binary(Id node, int scope, int depth);
  Knowledge of_fact(const Fact& fact, int depth);
  Knowledge of_part(const Fact& fact, int depth);
  Knowledge of_facts(const Variable& variable, int depth);
  Knowledge of_annotation(Id node, int scope, int depth = 0);
  Knowledge of_builtin(std::string_view name, Id call, int scope, int depth);
  Knowledge first_argument(Id call, int scope, int depth);

  Facts& facts_;
  const Tree& tree_;
  int asked_ = 0;
  std::unordered_set<std::string> kept_;
};

// A receiver whose members are settings, never tensors or modules: args.data, cfg.device, opt.lr of
// argparse.
bool is_settings(std::string_view name);

// CamelCase: the name of a class.
bool is_class_like(std::string_view name);

// A name of a module whose functions and values are no tensors: os.environ, math.pi, numpy.mean.
bool is_plain_module(std::string_view qualified);

// The last name of a place: "self.net" -> "net".
std::string_view last_name(std::string_view place);

// Calls that only show progress or re-iterate: tqdm(loader) is loader.
bool is_progress(std::string_view name);

}  // namespace forerun::python
