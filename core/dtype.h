// Element types, by PyTorch's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace forerun {

enum class DType { Float32, Float16, BFloat16, Float64, Int64, Int32, UInt8, Bool };

constexpr std::int64_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::Float64:
    case DType::Int64: return 8;
    case DType::Float32:
    case DType::Int32: return 4;
    case DType::Float16:
    case DType::BFloat16: return 2;
    case DType::UInt8:
    case DType::Bool: return 1;
  }
  return 0;
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float16 || dtype == DType::BFloat16 ||
         dtype == DType::Float64;
}

constexpr std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::Float32: return "float32";
    case DType::Float16: return "float16";
    case DType::BFloat16: return "bfloat16";
    case DType::Float64: return "float64";
    case DType::Int64: return "int64";
    case DType::Int32: return "int32";
    case DType::UInt8: return "uint8";
    case DType::Bool: return "bool";
  }
  return "";
}

constexpr std::optional<DType> dtype_from_name(std::string_view text) {
  for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16, DType::Float64,
                            DType::Int64, DType::Int32, DType::UInt8, DType::Bool}) {
    if (name(dtype) == text) return dtype;
  }
  return std::nullopt;
}

}  // namespace forerun
