#include "estimator/readers/onnx_model.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "estimator/readers/protobuf.h"

namespace forerun::readers {
namespace {

constexpr std::int64_t kMostText = 4096;
constexpr std::size_t kMostNodes = 500'000;
constexpr std::size_t kMostNumbers = 4096;  // a shape, a list of axes

// TensorProto.DataType
std::optional<DType> dtype_of(std::int64_t type) {
  switch (type) {
    case 1: return DType::Float32;
    case 2: return DType::UInt8;
    case 6: return DType::Int32;
    case 7: return DType::Int64;
    case 9: return DType::Bool;
    case 10: return DType::Float16;
    case 11: return DType::Float64;
    case 16: return DType::BFloat16;
    default: return std::nullopt;
  }
}

void add_integers(WireMessage& from, std::vector<std::int64_t>& into) {
  const auto add = [&](std::int64_t value) {
    if (into.size() >= kMostNumbers) from.fail("a longer list than is read");
    into.push_back(value);
  };
  if (!from.is_packed()) return add(from.integer());
  std::int64_t value = 0;
  while (into.size() <= kMostNumbers && from.next_integer(value)) add(value);
}

// raw_data of a short tensor, little-endian.
void read_raw(const std::string& raw, OnnxTensor& into) {
  const auto bits = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t made = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      made |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[at + i])) << (8 * i);
    return made;
  };
  if (into.dtype == DType::Float32 && raw.size() == 4) {
    const auto word = static_cast<std::uint32_t>(bits(0, 4));
    float number = 0;
    std::memcpy(&number, &word, sizeof number);
    into.number = number;
  }
  if (into.dtype == DType::Int64)
    for (std::size_t at = 0; at + 8 <= raw.size(); at += 8)
      into.integers.push_back(static_cast<std::int64_t>(bits(at, 8)));
  if (into.dtype == DType::Int32)
    for (std::size_t at = 0; at + 4 <= raw.size(); at += 4)
      into.integers.push_back(static_cast<std::int32_t>(bits(at, 4)));
  if (into.dtype == DType::Bool)
    for (const char c : raw) into.integers.push_back(c != 0);
}

OnnxTensor tensor_from(WireMessage message) {
  OnnxTensor made;
  std::string raw;
  while (message.next()) {
    switch (message.field()) {
      case 1: add_integers(message, made.shape); break;
      case 2: made.dtype = dtype_of(message.integer()); break;
      case 4:  // float_data
        if (message.is_packed() && message.length() == 4) raw = message.text(4);
        if (!message.is_packed()) made.number = message.number();
        break;
      case 5:
      case 7:
        if (!message.is_packed() || message.length() <= 10 * 64)
          add_integers(message, made.integers);
        break;
      case 8: made.name = message.text(kMostText); break;
      case 9:
        if (message.length() <= 8 * 64) raw = message.text(8 * 64);
        break;
      default: break;
    }
  }
  read_raw(raw, made);
  return made;
}

OnnxAttribute attribute_from(WireMessage message, std::string& name) {
  OnnxAttribute made;
  while (message.next()) {
    switch (message.field()) {
      case 1: name = message.text(kMostText); break;
      case 2: made.number = static_cast<double>(message.number()); break;
      case 3: made.integer = message.integer(); break;
      case 4:
        if (message.length() <= kMostText) made.text = message.text(kMostText);
        break;
      case 5: made.tensor = tensor_from(message.message()); break;
      case 8: add_integers(message, made.integers); break;
      default: break;
    }
  }
  return made;
}

OnnxNode node_from(WireMessage message) {
  OnnxNode made;
  while (message.next()) {
    switch (message.field()) {
      case 1: made.inputs.push_back(message.text(kMostText)); break;
      case 2: made.outputs.push_back(message.text(kMostText)); break;
      case 3: made.name = message.text(kMostText); break;
      case 4: made.op = message.text(kMostText); break;
      case 5: {
        std::string name;
        OnnxAttribute attribute = attribute_from(message.message(), name);
        made.attributes[name] = std::move(attribute);
        break;
      }
      case 7: made.domain = message.text(kMostText); break;
      default: break;
    }
    if (made.inputs.size() + made.outputs.size() > kMostNumbers)
      message.fail("a node of more names than are read");
  }
  if (made.name.empty() && !made.outputs.empty()) made.name = made.outputs[0];
  return made;
}

Size size_from(WireMessage message) {
  Size made;
  while (message.next()) {
    if (message.field() == 1) made.value = message.integer();
    if (message.field() == 2) made.symbol = message.text(kMostText);
  }
  return made;
}

void read_tensor_type(WireMessage message, TensorMeta& into) {
  while (message.next()) {
    if (message.field() == 1) into.dtype = dtype_of(message.integer());
    if (message.field() != 2) continue;
    WireMessage shape = message.message();
    while (shape.next()) {
      if (shape.field() != 1) continue;
      if (into.sizes.size() >= kMostNumbers) shape.fail("a shape of more dimensions than are read");
      into.sizes.push_back(size_from(shape.message()));
    }
  }
}

OnnxValue value_from(WireMessage message) {
  OnnxValue made;
  while (message.next()) {
    if (message.field() == 1) made.name = message.text(kMostText);
    if (message.field() != 2) continue;
    WireMessage type = message.message();
    while (type.next())
      if (type.field() == 1) read_tensor_type(type.message(), made.meta);
  }
  return made;
}

void read_graph(WireMessage message, OnnxModel& into) {
  while (message.next()) {
    switch (message.field()) {
      case 1: into.nodes.push_back(node_from(message.message())); break;
      case 5: into.initializers.push_back(tensor_from(message.message())); break;
      case 11: into.inputs.push_back(value_from(message.message())); break;
      case 12: into.outputs.push_back(value_from(message.message())); break;
      case 15: message.fail("sparse initializers are not modelled"); break;
      default: break;
    }
    if (into.nodes.size() + into.initializers.size() + into.inputs.size() + into.outputs.size() >
        kMostNodes)
      message.fail("more nodes than are read");
  }
}

void read_opset(WireMessage message, OnnxModel& into) {
  std::string domain;
  std::int64_t version = 0;
  while (message.next()) {
    if (message.field() == 1) domain = message.text(kMostText);
    if (message.field() == 2) version = message.integer();
  }
  if (domain.empty()) into.opset = version;
}

}  // namespace

Result<OnnxModel> parse_onnx_model(Bytes& bytes) {
  WireSource source(bytes);
  OnnxModel made;
  bool has_graph = false;
  WireMessage message(source);
  while (message.next()) {
    if (message.field() == 7) {
      has_graph = true;
      read_graph(message.message(), made);
    }
    if (message.field() == 8) read_opset(message.message(), made);
  }
  if (source.problem()) return *source.problem();
  if (!has_graph) return error("holds no graph", "an ONNX model");
  return made;
}

}  // namespace forerun::readers
