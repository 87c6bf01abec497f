#include "rules/declarations.h"

#include <algorithm>
#include <cctype>

#include "analyzer/flow/names.h"

namespace forerun::rules {
namespace {

using ir::Kind;

class Walk {
 public:
  Walk(const ir::Function& function, const std::function<void(const Site&)>& visit)
      : visit_(visit) {
    at_.function = &function;
  }
  void block(const ir::Block& block) {
    for (const ir::Node& node : block)
      std::visit([this](const auto& value) { see(value); }, node.value);
  }

 private:
  void see(const ir::Op& op) {
    at_.op = &op;
    visit_(at_);
  }
  void see(const ir::Loop& loop) {
    at_.loops.push_back(&loop);
    block(loop.head);
    block(loop.body);
    at_.loops.pop_back();
    block(loop.otherwise);
  }
  void see(const ir::Branch& branch) {
    at_.branches.push_back(&branch);
    block(branch.then_body);
    block(branch.else_body);
    at_.branches.pop_back();
  }
  void see(const ir::Scope& scope) {
    at_.scopes.push_back(&scope);
    block(scope.body);
    at_.scopes.pop_back();
  }
  void see(const ir::Try& attempt) {
    block(attempt.body);
    for (const ir::Block& handler : attempt.handlers) block(handler);
    block(attempt.otherwise);
    block(attempt.finally);
  }
  void see(const ir::Jump&) {}
  void see(const ir::Define& define) { block(define.function->body); }

  const std::function<void(const Site&)>& visit_;
  Site at_;
};

bool module_class(const ir::Program& program, const ir::Class& type, int depth) {
  return std::any_of(type.bases.begin(), type.bases.end(), [&](const std::string& base) {
    const ir::Class* own = class_named(program, base);
    if (own != nullptr && own != &type && depth < 8) return module_class(program, *own, depth + 1);
    for (const char* end : {"Module", "Sequential", "ModuleList"}) {
      if (base.ends_with(end)) return true;
    }
    // Other libraries have layers and models, too.
    if (imports(program, "tensorflow") || imports(program, "keras")) return false;
    for (const char* end : {"Model", "Net", "Block", "Layer"}) {
      if (base.ends_with(end)) return true;
    }
    return false;
  });
}

}  // namespace

void each_operation(const ir::Function& function, const std::function<void(const Site&)>& visit) {
  Walk(function, visit).block(function.body);
}

void each_operation(const ir::Program& program, const std::function<void(const Site&)>& visit) {
  for (const auto* functions : {&program.functions, &program.linked.functions})
    for (const ir::Function& function : *functions) each_operation(function, visit);
}

const ir::Class* class_named(const ir::Program& program, const std::string& name) {
  for (const auto* classes : {&program.classes, &program.linked.classes}) {
    for (const ir::Class& type : *classes) {
      if (type.name == name) return &type;
    }
  }
  return nullptr;
}

bool is_module_class(const ir::Program& program, const ir::Class& type) {
  return module_class(program, type, 0);
}

std::vector<const ir::Function*> methods_of(const ir::Program& program, const std::string& type) {
  std::vector<const ir::Function*> found;
  for (const auto* functions : {&program.functions, &program.linked.functions}) {
    for (const ir::Function& function : *functions) {
      if (function.owner == type) found.push_back(&function);
    }
  }
  return found;
}

const ir::Function* method_of(const ir::Program& program, const std::string& type,
                              const std::string& method) {
  for (const ir::Function* function : methods_of(program, type)) {
    if (function->name == type + "." + method) return function;
  }
  return nullptr;
}

bool makes_module(const ir::Program& program, const ir::Op& op) {
  if (op.kind != Kind::Construct) return false;
  if (const ir::Class* own = class_named(program, op.callee)) return is_module_class(program, *own);
  return op.result_role == ir::Role::Module;
}

bool makes_stateful_module(const ir::Program& program, const ir::Op& op) {
  if (!makes_module(program, op)) return false;
  if (class_named(program, op.callee) != nullptr) return true;
  if (op.callee.find("Dropout") != std::string::npos) return true;
  if (op.callee == "Sequential" || op.callee == "ModuleList" || op.callee == "ModuleDict")
    return !op.arguments.empty();
  return !flow::has_no_parameters(op.callee);
}

std::vector<const ir::Class*> model_classes(const ir::Program& program) {
  std::set<std::string> inside;
  each_operation(program, [&](const Site& site) {
    const ir::Class* owner =
        site.function->owner.empty() ? nullptr : class_named(program, site.function->owner);
    if (owner == nullptr || !is_module_class(program, *owner)) return;
    if (site.op->kind == Kind::Construct && site.op->callee != owner->name)
      inside.insert(site.op->callee);
    for (const ir::Argument& argument : site.op->arguments) {
      if (const auto* named = std::get_if<ir::FunctionReference>(&argument.value))
        inside.insert(named->name);
    }
  });
  for (const ir::Class& type : program.classes) {
    for (const std::string& base : type.bases) inside.insert(base);
  }
  std::vector<const ir::Class*> found;
  for (const ir::Class& type : program.classes) {
    if (inside.contains(type.name) || !is_module_class(program, type)) continue;
    if (type.name.ends_with("Loss") || type.name.ends_with("Criterion")) continue;
    if (method_of(program, type.name, "forward") != nullptr) found.push_back(&type);
  }
  return found;
}

bool is_test(const ir::Program& program) {
  const std::string name = program.path.substr(program.path.find_last_of('/') + 1);
  if (!name.starts_with("test_") && !name.ends_with("_test.py")) return false;
  if (imports(program, "pytest") || imports(program, "unittest")) return true;
  return std::any_of(
      program.functions.begin(), program.functions.end(), [](const ir::Function& function) {
        return function.name.substr(function.name.rfind('.') + 1).starts_with("test_");
      });
}

const ir::Place* place_of(const ir::Operand& operand) { return std::get_if<ir::Place>(&operand); }

const std::string* literal_of(const ir::Operand& operand) {
  const auto* literal = std::get_if<ir::Literal>(&operand);
  return literal == nullptr ? nullptr : &literal->text;
}

const ir::Argument* argument(const ir::Op& op, const std::string& name, std::size_t position) {
  for (const ir::Argument& one : op.arguments) {
    if (!one.name.empty() && one.name == name) return &one;
  }
  std::size_t at = 0;
  for (const ir::Argument& one : op.arguments) {
    if (!one.name.empty()) continue;
    if (at++ == position) return &one;
  }
  return nullptr;
}

bool imports(const ir::Program& program, const std::string& module) {
  return std::any_of(program.imports.begin(), program.imports.end(), [&](const std::string& one) {
    return one == module || one.starts_with(module + ".");
  });
}

bool mentions(const std::string& text, std::initializer_list<const char*> words) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return lower.find(word) != std::string::npos; });
}

}  // namespace forerun::rules
