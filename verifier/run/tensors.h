// core's element types in ATen's words.
#pragma once

#include <c10/core/ScalarType.h>

#include "core/dtype.h"

namespace forerun::run {

constexpr at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::Float32: return at::kFloat;
    case DType::Float16: return at::kHalf;
    case DType::BFloat16: return at::kBFloat16;
    case DType::Float64: return at::kDouble;
    case DType::Int64: return at::kLong;
    case DType::Int32: return at::kInt;
    case DType::UInt8: return at::kByte;
    case DType::Bool: return at::kBool;
  }
  return at::ScalarType::Undefined;
}

}  // namespace forerun::run
