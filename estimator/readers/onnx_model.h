// What an ONNX file says (onnx.proto, IR version 10 and before): its graph, without the weights'
// values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/result.h"
#include "core/shape.h"
#include "estimator/readers/bytes.h"
#include "estimator/readers/exported_program.h"

namespace forerun::readers {

struct OnnxTensor {
  std::string name;
  Shape shape;
  std::optional<DType> dtype;
  // Of a short one: whole numbers, or the number that a single floating one is.
  std::vector<std::int64_t> integers;
  std::optional<double> number;
};

struct OnnxAttribute {
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::optional<OnnxTensor> tensor;
};

struct OnnxNode {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, OnnxAttribute> attributes;
};

struct OnnxValue {
  std::string name;
  TensorMeta meta;
};

struct OnnxModel {
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValue> inputs, outputs;
};

// Errors: no ONNX, cut short, too many of something; with the byte.
Result<OnnxModel> parse_onnx_model(Bytes& bytes);

}  // namespace forerun::readers
