#include "analyzer/cpp/unit.h"

#include <optional>
#include <set>

#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

namespace forerun::cpp {
namespace {

using namespace clang;

// The instantiation to read a template's function by: one with a body, or null.
const FunctionDecl* with_body(const FunctionTemplateDecl& written) {
  for (const FunctionDecl* instance : written.specializations()) {
    if (instance->isTemplateInstantiation() && instance->doesThisDeclarationHaveABody())
      return instance;
  }
  return nullptr;
}

std::string method_name(const FunctionDecl& function) {
  if (isa<CXXConstructorDecl>(function)) return "__init__";
  if (isa<CXXDestructorDecl>(function)) return "__del__";
  if (function.getOverloadedOperator() == OO_Call) return "__call__";
  return function.getNameAsString();
}

class UnitLowering {
 public:
  UnitLowering(ASTContext& ast, const SourceFiles& files, ir::Program& program)
      : context_{ast, files, program.notes, {}, {}}, program_(program) {}

  void run(const std::vector<Decl*>& top_level) {
    module_.name = "<module>";
    for (const Decl* declared : top_level) declaration(declared);
    while (!context_.local_classes.empty()) {
      const CXXRecordDecl* record = context_.local_classes.back();
      context_.local_classes.pop_back();
      declaration(record);
    }
    if (!module_.body.empty()) {
      module_.at = {program_.path, {1, 1}, {}};
      program_.functions.insert(program_.functions.begin(), std::move(module_));
    }
  }

 private:
  void declarations(const DeclContext& context) {
    for (const Decl* declared : context.decls()) declaration(declared);
  }

  void declaration(const Decl* declared) {
    if (declared->isImplicit() || !context_.files.is_user(*declared)) return;
    if (const auto* x = dyn_cast<NamespaceDecl>(declared)) return declarations(*x);
    if (const auto* x = dyn_cast<LinkageSpecDecl>(declared)) return declarations(*x);
    if (const auto* x = dyn_cast<ExportDecl>(declared)) return declarations(*x);
    if (const auto* x = dyn_cast<ClassTemplateDecl>(declared)) return class_template(*x);
    if (const auto* x = dyn_cast<FunctionTemplateDecl>(declared)) {
      const FunctionDecl* instance = with_body(*x);
      return function(instance ? *instance : *x->getTemplatedDecl());
    }
    if (isa<ClassTemplatePartialSpecializationDecl>(declared)) return;
    if (const auto* x = dyn_cast<CXXRecordDecl>(declared)) return record(*x);
    if (const auto* x = dyn_cast<FunctionDecl>(declared)) return written_function(*x);
    if (const auto* x = dyn_cast<VarDecl>(declared)) return global(*x);
  }

  // Out-of-line members of class templates stand for their instantiation too.
  void written_function(const FunctionDecl& written) {
    if (const auto* method = dyn_cast<CXXMethodDecl>(&written)) {
      if (const ClassTemplateDecl* pattern = method->getParent()->getDescribedClassTemplate()) {
        if (const FunctionDecl* instance = instance_of(*pattern, *method))
          return function(*instance);
      }
    }
    function(written);
  }

  void class_template(const ClassTemplateDecl& written) {
    const CXXRecordDecl* pattern = written.getTemplatedDecl();
    if (!pattern->isThisDeclarationADefinition()) return;
    const CXXRecordDecl* shown = pattern;
    for (const ClassTemplateSpecializationDecl* instance : written.specializations()) {
      if (instance->getTemplateSpecializationKind() == TSK_ImplicitInstantiation &&
          instance->hasDefinition())
        shown = instance;
    }
    describe(*shown, pattern->getSourceRange());
    for (const Decl* member : pattern->decls()) {
      const auto* method = dyn_cast<CXXMethodDecl>(member);
      const FunctionDecl* instance = method ? instance_of(written, *method) : nullptr;
      if (instance && method->doesThisDeclarationHaveABody()) {
        function(*instance);
      } else {
        declaration(member);
      }
    }
  }

  const FunctionDecl* instance_of(const ClassTemplateDecl& pattern, const CXXMethodDecl& method) {
    for (const ClassTemplateSpecializationDecl* instance : pattern.specializations()) {
      if (instance->getTemplateSpecializationKind() != TSK_ImplicitInstantiation) continue;
      for (const CXXMethodDecl* candidate : instance->methods()) {
        const FunctionDecl* from = candidate->getInstantiatedFromMemberFunction();
        if (from && from->getCanonicalDecl() == method.getCanonicalDecl() && candidate->hasBody()) {
          const FunctionDecl* definition = nullptr;
          return candidate->hasBody(definition) ? definition : candidate;
        }
      }
    }
    return nullptr;
  }

  // TORCH_MODULE(Net) makes a class Net: a holder, not one of the program's classes.
  void record(const CXXRecordDecl& written) {
    if (!written.isThisDeclarationADefinition() || written.isLambda()) return;
    if (is_module_holder(&written) && written.getBeginLoc().isMacroID()) return;
    describe(written, written.getSourceRange());
    implicit_constructor(written);
    for (const Decl* member : written.decls()) declaration(member);
  }

  void describe(const CXXRecordDecl& written, SourceRange at) {
    ir::Class made;
    made.name = class_name(written);
    made.at = context_.files.location(SourceRange(at.getBegin(), written.getLocation()));
    for (const CXXBaseSpecifier& base : written.bases()) {
      const CXXRecordDecl* above = own_class(base.getType());
      if (!above) continue;
      const bool cloneable =
          above->getIdentifier() && above->getName() == "Cloneable" && is_in_torch(*above);
      made.bases.push_back(cloneable ? "Module" : class_name(*above));
    }
    for (const FieldDecl* field : written.fields()) {
      if (field->getIdentifier())
        made.members[{"self", {field->getName().str()}}] = role_of(field->getType());
    }
    program_.classes.push_back(std::move(made));
  }

  // Member initialisers without a constructor that would run them.
  void implicit_constructor(const CXXRecordDecl& written) {
    if (written.hasUserDeclaredConstructor()) return;
    ir::Function made;
    made.name = class_name(written) + ".__init__";
    made.owner = class_name(written);
    made.at = context_.files.location(SourceRange(written.getBeginLoc(), written.getLocation()));
    FunctionLowering lowering(context_, made);
    for (const FieldDecl* field : written.fields()) {
      if (!field->getIdentifier() || !field->hasInClassInitializer() ||
          !field->getInClassInitializer())
        continue;
      lowering.initialize({"self", {field->getName().str()}}, field->getInClassInitializer(),
                          field->getType(), field->getSourceRange());
    }
    if (!made.body.empty()) program_.functions.push_back(std::move(made));
  }

  void function(const FunctionDecl& written) {
    const FunctionDecl* pattern = written.getTemplateInstantiationPattern();
    const SourceLocation at = (pattern ? pattern : &written)->getLocation();
    if (!written.doesThisDeclarationHaveABody() || written.isDefaulted() ||
        !context_.files.is_user(at))
      return;
    const Stmt* body = written.getBody();
    if (!body || !done_.insert(at.getRawEncoding()).second) return;
    ir::Function made;
    made.name = method_name(written);
    if (const auto* method = dyn_cast<CXXMethodDecl>(&written)) {
      made.owner = class_name(*method->getParent());
      made.name = made.owner + "." + made.name;
    }
    made.at = context_.files.location(SourceRange(written.getBeginLoc(), body->getBeginLoc()));
    FunctionLowering lowering(context_, made);
    lowering.parameters(written);
    if (const auto* constructor = dyn_cast<CXXConstructorDecl>(&written))
      lowering.constructor_initializers(*constructor);
    lowering.body(body);
    program_.functions.push_back(std::move(made));
  }

  void global(const VarDecl& variable) {
    if (!variable.hasInit() || !variable.getIdentifier() || variable.getDeclContext()->isRecord())
      return;
    if (!module_lowering_) module_lowering_.emplace(context_, module_);
    module_lowering_->initialize({variable.getName().str(), {}}, variable.getInit(),
                                 variable.getType(), variable.getSourceRange());
  }

  UnitContext context_;
  ir::Program& program_;
  ir::Function module_;
  std::optional<FunctionLowering> module_lowering_;
  std::set<unsigned> done_;  // by place: a template is lowered once
};

}  // namespace

void lower_unit(const Unit& unit, ir::Program& program) {
  UnitLowering(unit.ast, unit.files, program).run(unit.declarations);
  program.comments = unit.comments;
  program.imports = unit.includes;
}

}  // namespace forerun::cpp
