// Archives for tests, made in memory: zip files of stored entries, and an exported program as
// torch.export.save of PyTorch 2.11 lays it out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace forerun::readers {

using Members = std::vector<std::pair<std::string, std::string>>;  // name, bytes

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::uint32_t checksum(const std::string& text) {
  std::uint32_t sum = 0xFFFFFFFFu;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) ? 0xEDB88320u : 0u);
  }
  return ~sum;
}

// `large`: with zip64 records, as PyTorch writes archives beyond 4 GiB.
inline std::string zipped(const Members& members, bool large = false, int method = 0) {
  std::string text, directory;
  for (const auto& [name, bytes] : members) {
    const std::string sum = little(checksum(bytes), 4), size = little(bytes.size(), 4);
    const std::string extra = large ? little(1, 2) + little(24, 2) + little(bytes.size(), 8) +
                                          little(bytes.size(), 8) + little(text.size(), 8)
                                    : "";
    const std::string shown = large ? little(0xFFFFFFFF, 4) : size;
    directory += little(0x02014b50, 4) + little(45, 2) + little(45, 2) + little(0, 2) +
                 little(static_cast<std::uint64_t>(method), 2) + little(0, 4) + sum + shown +
                 shown + little(name.size(), 2) + little(extra.size(), 2) + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(0, 4) +
                 (large ? little(0xFFFFFFFF, 4) : little(text.size(), 4)) + name + extra;
    text += little(0x04034b50, 4) + little(45, 2) + little(0, 2) +
            little(static_cast<std::uint64_t>(method), 2) + little(0, 4) + sum + size + size +
            little(name.size(), 2) + little(0, 2) + name + bytes;
  }
  const std::uint64_t begin = text.size(), count = members.size();
  text += directory;
  if (large) {
    const std::uint64_t record = text.size();
    text += little(0x06064b50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 4) +
            little(0, 4) + little(count, 8) + little(count, 8) + little(directory.size(), 8) +
            little(begin, 8);
    text += little(0x07064b50, 4) + little(0, 4) + little(record, 8) + little(1, 4);
  }
  text += little(0x06054b50, 4) + little(0, 4) + little(large ? 0xFFFF : count, 2) +
          little(large ? 0xFFFF : count, 2) + little(large ? 0xFFFFFFFF : directory.size(), 4) +
          little(large ? 0xFFFFFFFF : begin, 4) + little(0, 2);
  return text;
}

using Json = nlohmann::json;

// A negative size is the symbol s77, which was 4 in the example.
inline Json described(const std::vector<int>& sizes, int dtype = 7, bool trains = true) {
  const Json open = {
      {"as_expr",
       {{"expr_str", "Symbol('s77', positive=True, integer=True)"}, {"hint", {{"as_int", 4}}}}}};
  Json meta = {{"dtype", dtype},
               {"sizes", Json::array()},
               {"strides", Json::array()},
               {"requires_grad", trains}};
  int step = 1;
  std::vector<int> steps(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    steps[i] = step;
    step *= sizes[i];
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    meta["sizes"].push_back(sizes[i] < 0 ? open : Json{{"as_int", sizes[i]}});
    meta["strides"].push_back({{"as_int", steps[i]}});
  }
  return meta;
}

inline Json tensor_named(const std::string& name) { return {{"as_tensor", {{"name", name}}}}; }

struct NodeText {
  std::string target, output, module;
  std::vector<std::pair<std::string, Json>> arguments;
};

inline Json node_of(const NodeText& from) {
  Json made = {
      {"target", from.target},
      {"name", from.output},
      {"inputs", Json::array()},
      {"outputs", {tensor_named(from.output)}},
      {"metadata",
       {{"nn_module_stack", "L__self__,,Net;L__self__x," + from.module + ",torch.nn.Module"},
        {"stack_trace", "File \"net.py\", line 1"}}}};
  for (const auto& [name, argument] : from.arguments)
    made["inputs"].push_back({{"name", name}, {"arg", argument}, {"kind", 1}});
  return made;
}

// Linear(784, 256), ReLU, Dropout(0.2), Linear(256, 10) on [batch, 784].
struct Mlp {
  std::vector<NodeText> nodes = {
      {"torch.ops.aten.linear.default",
       "linear",
       "0",
       {{"input", tensor_named("x")},
        {"weight", tensor_named("w0")},
        {"bias", tensor_named("b0")}}},
      {"torch.ops.aten.relu.default", "relu", "1", {{"self", tensor_named("linear")}}},
      {"torch.ops.aten.dropout.default",
       "dropout",
       "2",
       {{"input", tensor_named("relu")},
        {"p", {{"as_float", 0.2}}},
        {"train", {{"as_bool", true}}}}},
      {"torch.ops.aten.linear.default",
       "linear_1",
       "3",
       {{"input", tensor_named("dropout")},
        {"weight", tensor_named("w3")},
        {"bias", tensor_named("b3")}}}};
  Json tensors = {
      {"w0", described({256, 784})},         {"b0", described({256})},
      {"w3", described({10, 256})},          {"b3", described({10})},
      {"x", described({-1, 784}, 7, false)}, {"linear_1", described({-1, 10}, 7, false)}};
  int schema = 8;

  std::vector<std::pair<std::string, std::string>> state() const {
    return {{"w0", "0.weight"}, {"b0", "0.bias"}, {"w3", "3.weight"}, {"b3", "3.bias"}};
  }

  std::string model() const {
    Json graph = {{"inputs", Json::array()},
                  {"outputs", {tensor_named(nodes.back().output)}},
                  {"nodes", Json::array()},
                  {"tensor_values", tensors}};
    Json inputs = Json::array();
    for (const auto& [name, target] : state())
      inputs.push_back({{"parameter", {{"arg", {{"name", name}}}, {"parameter_name", target}}}});
    inputs.push_back({{"user_input", {{"arg", tensor_named("x")}}}});
    for (const NodeText& node : nodes) graph["nodes"].push_back(node_of(node));
    const Json outputs = {{{"user_output", {{"arg", tensor_named(nodes.back().output)}}}}};
    const Json all = {
        {"graph_module",
         {{"graph", graph}, {"signature", {{"input_specs", inputs}, {"output_specs", outputs}}}}},
        {"schema_version", {{"major", schema}, {"minor", 17}}},
        {"range_constraints", {{"s77", {{"min_val", 2}, {"max_val", nullptr}}}}},
        {"torch_version", "2.11.0"}};
    return all.dump();
  }

  std::string weights() const {
    std::string text;
    for (const auto& [name, target] : state())
      text +=
          (text.empty() ? "" : ", ") + ("\"" + target + "\": ") +
          Json{{"path_name", "weight"}, {"is_param", true}, {"tensor_meta", tensors[name]}}.dump();
    return "{\"config\": {" + text + "}}";
  }

  Members members() const {
    return {{"mlp/data/weights/weight_0", std::string(64, 'w')},
            {"mlp/data/weights/model_weights_config.json", weights()},
            {"mlp/models/model.json", model()}};
  }
};

}  // namespace forerun::readers
