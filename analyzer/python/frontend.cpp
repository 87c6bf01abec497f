#include "analyzer/python/frontend.h"

#include "analyzer/python/lowering.h"

namespace forerun::python {

Result<ir::Program> lower(const std::string& text, const std::string& path) {
  Result<Tree> parsed = Tree::parse(text, path);
  if (!parsed) return parsed.error();
  Tree& tree = *parsed;
  ir::Program program;
  program.path = path;
  program.language = ir::Language::Python;
  Facts facts(tree);
  Lowering(facts, program).run();
  program.imports = std::move(facts.modules);
  for (const Variable* variable : facts.scopes.front().variables) {
    if (variable->import >= 0)
      program.bindings.emplace(variable->name,
                               facts.imports[static_cast<std::size_t>(variable->import)]);
  }
  program.star_imports = std::move(facts.stars);
  program.comments = std::move(tree.comments);
  program.notes = std::move(tree.notes);
  return program;
}

}  // namespace forerun::python
