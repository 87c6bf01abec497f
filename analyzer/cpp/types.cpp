#include "analyzer/cpp/types.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "analyzer/lexicon/lexicon.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace forerun::cpp {
namespace {

using clang::CXXRecordDecl;
using clang::QualType;

// A chain of wrappers longer than this is not a program's but a puzzle.
constexpr int kWrapperDepth = 16;

llvm::StringRef own_name(const CXXRecordDecl* record) {
  if (!record || !record->getIdentifier()) return {};
  return record->getName();
}

bool in_namespace(const clang::Decl& declaration, std::initializer_list<llvm::StringRef> names);

// The name of a library's class; a user's class called List or Dict is another thing.
llvm::StringRef library_name(const CXXRecordDecl* record) {
  if (!record ||
      !in_namespace(*record, {"std", "__gnu_cxx", "torch", "at", "c10", "ska", "absl", "boost"}))
    return {};
  return own_name(record);
}

// First type argument of a class template's specialisation.
QualType first_argument(const CXXRecordDecl* record) {
  const auto* specialisation =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!specialisation || specialisation->getTemplateArgs().size() == 0) return {};
  const clang::TemplateArgument& argument = specialisation->getTemplateArgs()[0];
  return argument.getKind() == clang::TemplateArgument::Type ? argument.getAsType() : QualType();
}

const CXXRecordDecl* holder_base(const CXXRecordDecl* record, int depth = 0) {
  if (!record || depth > kWrapperDepth) return nullptr;
  if (own_name(record) == "ModuleHolder") return record;
  if (!record->hasDefinition()) return nullptr;
  for (const clang::CXXBaseSpecifier& base : record->bases()) {
    if (const auto* found = holder_base(base.getType()->getAsCXXRecordDecl(), depth + 1))
      return found;
  }
  return nullptr;
}

// Names of the classes above a record, template names for dependent bases.
bool any_base(const CXXRecordDecl* record, const std::function<bool(const CXXRecordDecl&)>& wanted,
              int depth = 0) {
  if (!record || depth > 64) return false;
  if (wanted(*record)) return true;
  if (!record->hasDefinition()) return false;
  for (const clang::CXXBaseSpecifier& base : record->bases()) {
    const CXXRecordDecl* above = base.getType()->getAsCXXRecordDecl();
    if (!above) {
      if (const auto* written = base.getType()->getAs<clang::TemplateSpecializationType>()) {
        const auto* pattern = llvm::dyn_cast_or_null<clang::ClassTemplateDecl>(
            written->getTemplateName().getAsTemplateDecl());
        above = pattern ? pattern->getTemplatedDecl() : nullptr;
      }
    }
    if (any_base(above, wanted, depth + 1)) return true;
  }
  return false;
}

bool has_method(const CXXRecordDecl& record, llvm::StringRef name) {
  if (!record.hasDefinition()) return false;
  return std::any_of(record.method_begin(), record.method_end(),
                     [&](const clang::CXXMethodDecl* method) {
                       return method->getIdentifier() && method->getName() == name;
                     });
}

bool is_scaler(const CXXRecordDecl& record) {
  if (is_in_std(record) || is_in_torch(record)) return false;
  const std::string name = own_name(&record).lower();
  return name.ends_with("scaler") ||
         (has_method(record, "unscale_") && has_method(record, "update"));
}

ir::Role module_role(const CXXRecordDecl& record) {
  const std::string name = class_name(record);
  return name.ends_with("Loss") ? ir::Role::LossModule : ir::Role::Module;
}

ir::Role role_of_base(const CXXRecordDecl& record) {
  ir::Role role = ir::Role::Unknown;
  any_base(&record, [&](const CXXRecordDecl& base) {
    const std::string name = qualified_name(base);
    role = llvm::StringSwitch<ir::Role>(name)
               .Cases("at::Tensor", "at::TensorBase", ir::Role::Tensor)
               .Cases("torch::nn::Module", "torch::jit::Module", "torch::jit::Object",
                      "torch::nn::AnyModule", "torch::nn::ModuleHolder",
                      "torch::inductor::AOTIModelPackageLoader", ir::Role::Module)
               .Case("torch::optim::Optimizer", ir::Role::Optimizer)
               .Cases("torch::optim::LRScheduler", "torch::optim::ReduceLROnPlateauScheduler",
                      ir::Role::Scheduler)
               .Case("torch::data::DataLoaderBase", ir::Role::Loader)
               .Default(ir::Role::Unknown);
    return role != ir::Role::Unknown;
  });
  return role;
}

ir::Role role_of_record(const CXXRecordDecl& record) {
  if (is_tuple(&record) || is_map(&record) || is_sequence(&record)) return ir::Role::Container;
  const std::string name = qualified_name(record);
  if (name == "c10::Scalar" || name == "c10::SymInt" || name == "c10::SymFloat" ||
      name == "c10::complex" || name == "c10::Half" || name == "c10::BFloat16" ||
      name.starts_with("std::chrono::")) {
    return ir::Role::Number;
  }
  if (name == "std::basic_string" || name == "std::basic_string_view") return ir::Role::Text;
  const ir::Role role = role_of_base(record);
  if (role == ir::Role::Module) return module_role(record);
  if (role != ir::Role::Unknown) return role;
  return is_scaler(record) ? ir::Role::Scaler : ir::Role::Other;
}

// One step inwards through references, pointers and wrappers; null when there is none.
QualType unwrapped(QualType type) {
  if (const auto* reference = type->getAs<clang::ReferenceType>())
    return reference->getPointeeType();
  if (const auto* pointer = type->getAs<clang::PointerType>()) return pointer->getPointeeType();
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record) return {};
  const bool wraps = is_smart_pointer(record) || is_optional(record) ||
                     own_name(record) == "reference_wrapper" || own_name(record) == "MaybeOwned" ||
                     own_name(record) == "ExclusivelyOwned";
  if (wraps) return first_argument(record);
  if (const CXXRecordDecl* holder = holder_base(record)) return first_argument(holder);
  return {};
}

QualType innermost(QualType type) {
  for (int depth = 0; depth < kWrapperDepth && !type.isNull(); ++depth) {
    if (type->isDependentType()) return type;
    const QualType inner = unwrapped(type);
    if (inner.isNull()) return type;
    type = inner;
  }
  return type;
}

bool in_namespace(const clang::Decl& declaration, std::initializer_list<llvm::StringRef> names) {
  const clang::DeclContext* context = declaration.getDeclContext();
  const clang::NamespaceDecl* outermost = nullptr;
  for (; context && !context->isTranslationUnit(); context = context->getParent()) {
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context)) outermost = space;
  }
  return outermost && outermost->getIdentifier() && llvm::is_contained(names, outermost->getName());
}

}  // namespace

std::string qualified_name(const clang::NamedDecl& declaration) {
  std::vector<std::string> parts;
  if (declaration.getIdentifier()) {
    parts.push_back(declaration.getName().str());
  } else {
    parts.push_back(declaration.getNameAsString());
  }
  for (const clang::DeclContext* context = declaration.getDeclContext(); context;
       context = context->getParent()) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(context);
    if (!named || !named->getIdentifier()) continue;
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context);
    if (space && (space->isInline() || space->isAnonymousNamespace())) continue;
    parts.push_back(named->getName().str());
  }
  std::string name;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    name += (name.empty() ? "" : "::") + *part;
  return name;
}

ir::Role role_of(QualType type) {
  if (type.isNull()) return ir::Role::Unknown;
  type = innermost(type.getNonReferenceType());
  if (type.isNull()) return ir::Role::Unknown;
  if (const auto* automatic = type->getContainedAutoType();
      automatic && automatic->getDeducedType().isNull()) {
    return ir::Role::Unknown;
  }
  if (const CXXRecordDecl* record = type->getAsCXXRecordDecl()) {
    if (record->isDependentType() && role_of_record(*record) == ir::Role::Other)
      return ir::Role::Unknown;
    return role_of_record(*record);
  }
  if (type->isDependentType()) {
    const auto* written = type->getAs<clang::TemplateSpecializationType>();
    if (!written) return ir::Role::Unknown;
    const auto* pattern = llvm::dyn_cast_or_null<clang::ClassTemplateDecl>(
        written->getTemplateName().getAsTemplateDecl());
    if (!pattern) return ir::Role::Unknown;
    const ir::Role role = role_of_record(*pattern->getTemplatedDecl());
    return role == ir::Role::Other ? ir::Role::Unknown : role;
  }
  if (type->isAnyCharacterType()) return ir::Role::Text;
  if (type->isArithmeticType() || type->isEnumeralType()) return ir::Role::Number;
  if (type->isArrayType()) {
    const bool text = type->getArrayElementTypeNoTypeQual()->isAnyCharacterType();
    return text ? ir::Role::Text : ir::Role::Container;
  }
  return type->isVoidType() ? ir::Role::Unknown : ir::Role::Other;
}

const CXXRecordDecl* object_class(QualType type) {
  if (type.isNull()) return nullptr;
  const QualType inner = innermost(type.getNonReferenceType());
  return inner.isNull() ? nullptr : inner->getAsCXXRecordDecl();
}

const CXXRecordDecl* own_class(QualType type) {
  if (type.isNull()) return nullptr;
  type = type.getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  return type->getAsCXXRecordDecl();
}

bool derives_from(const CXXRecordDecl* record, llvm::StringRef qualified) {
  return any_base(record,
                  [&](const CXXRecordDecl& base) { return qualified_name(base) == qualified; });
}

std::string class_name(const CXXRecordDecl& record) {
  if (!record.getIdentifier()) return {};
  std::string name = record.getName().str();
  const bool module =
      derives_from(&record, "torch::nn::Module") || derives_from(&record, "torch::nn::Cloneable");
  if (module && name.size() > 4 && name.ends_with("Impl")) name.resize(name.size() - 4);
  return name;
}

bool is_module_holder(const CXXRecordDecl* record) { return holder_base(record) != nullptr; }

bool is_smart_pointer(const CXXRecordDecl* record) {
  const llvm::StringRef name = library_name(record);
  return name == "shared_ptr" || name == "unique_ptr" || name == "weak_ptr" ||
         name == "intrusive_ptr" || name == "__shared_ptr" || name == "__shared_ptr_access";
}

bool is_optional(const CXXRecordDecl* record) {
  const llvm::StringRef name = library_name(record);
  return name == "optional" || name == "optional_base" || name == "OptionalArrayRef";
}

bool is_options(const CXXRecordDecl* record) {
  const llvm::StringRef name = own_name(record);
  if (!name.ends_with("Options")) return false;
  return is_in_torch(*record) ||
         any_base(record, [](const CXXRecordDecl& base) { return is_in_torch(base); });
}

bool is_tuple(const CXXRecordDecl* record) {
  const llvm::StringRef name = library_name(record);
  return name == "pair" || name == "tuple";
}

bool is_map(const CXXRecordDecl* record) {
  const llvm::StringRef name = library_name(record);
  return name == "map" || name == "unordered_map" || name == "multimap" ||
         name == "unordered_multimap" || name == "OrderedDict" || name == "Dict" ||
         name == "flat_hash_map";
}

bool is_sequence(const CXXRecordDecl* record) {
  return llvm::StringSwitch<bool>(library_name(record))
      .Cases("vector", "deque", "list", "forward_list", "array", "queue", true)
      .Cases("stack", "priority_queue", "set", "unordered_set", "multiset", "unordered_multiset",
             true)
      .Cases("initializer_list", "ArrayRef", "List", "SmallVector", "span", "IListRef",
             "SymIntArrayRef", true)
      .Default(false);
}

bool is_stream(const CXXRecordDecl* record) {
  return any_base(record, [](const CXXRecordDecl& base) {
    return own_name(&base) == "basic_ostream" || own_name(&base) == "ios_base";
  });
}

bool is_in_torch(const clang::Decl& declaration) {
  return in_namespace(declaration, {"torch", "at", "c10", "caffe2"});
}

bool is_in_std(const clang::Decl& declaration) {
  return in_namespace(declaration, {"std", "__gnu_cxx"});
}

bool is_bool_like(QualType type) {
  type = type.getNonReferenceType();
  if (type->isBooleanType()) return true;
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!is_optional(record)) return false;
  const QualType inner = first_argument(record);
  return !inner.isNull() && inner->isBooleanType();
}

}  // namespace forerun::cpp
