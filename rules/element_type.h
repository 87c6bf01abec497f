// Whether a tensor holds floating-point numbers or integers, as far as the operations tell.
#pragma once

#include <string>

#include "rules/rule.h"

namespace forerun::rules {

enum class ElementType { Unknown, Float, Integer };
// Known only when everything the value may be agrees.
ElementType element_type(const flow::Analysis& of, const flow::Values& values);
ElementType element_type_named(const std::string& dtype);  // "float32", "int64"

}  // namespace forerun::rules
