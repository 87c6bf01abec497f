// What a C++ type is to training: roles, canonical class names, qualified names.
#pragma once

#include <string>

#include "analyzer/ir/ir.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Type.h"

namespace forerun::cpp {

// "at::mse_loss": inline and anonymous namespaces and template arguments are left out.
std::string qualified_name(const clang::NamedDecl& declaration);

// References, pointers, smart pointers, optionals and module holders looked through.
ir::Role role_of(clang::QualType type);

// The class behind a type, looked through in the same way; a module holder gives the module. Null
// when there is none.
const clang::CXXRecordDecl* object_class(clang::QualType type);

// The class of the expression's own type (references left out), whatever it wraps.
const clang::CXXRecordDecl* own_class(clang::QualType type);

// Itself or a base anywhere above, by qualified name.
bool derives_from(const clang::CXXRecordDecl* record, llvm::StringRef qualified);

// As the IR names a class: NetImpl, and the holder Net of it, are "Net" when they are modules.
std::string class_name(const clang::CXXRecordDecl& record);

bool is_module_holder(const clang::CXXRecordDecl* record);
bool is_smart_pointer(const clang::CXXRecordDecl*
                          record);  // std::shared_ptr, unique_ptr, weak_ptr, c10::intrusive_ptr
bool is_optional(const clang::CXXRecordDecl* record);
bool is_options(
    const clang::CXXRecordDecl* record);  // torch::optim::AdamOptions, torch::TensorOptions
bool is_tuple(const clang::CXXRecordDecl* record);  // std::pair, std::tuple
bool is_map(const clang::CXXRecordDecl* record);
bool is_sequence(
    const clang::CXXRecordDecl* record);  // vectors, lists, deques, sets, arrays, ArrayRef
bool is_stream(const clang::CXXRecordDecl* record);
bool is_in_torch(const clang::Decl& declaration);  // namespace torch, at or c10
bool is_in_std(const clang::Decl& declaration);
bool is_bool_like(clang::QualType type);  // bool, optional<bool>

}  // namespace forerun::cpp
