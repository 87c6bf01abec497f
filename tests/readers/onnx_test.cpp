#include "estimator/readers/onnx.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"

namespace forerun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- protobuf, by hand: onnx.proto's field numbers ---

std::string varint(std::uint64_t value) {
  std::string text;
  for (; value > 127; value >>= 7) text += static_cast<char>((value & 127) | 128);
  return text + static_cast<char>(value);
}
std::string whole(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string bytes(int field, const std::string& text) {
  return varint((static_cast<std::uint64_t>(field) << 3) | 2) + varint(text.size()) + text;
}

std::string node(const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& output, const std::string& attributes = "") {
  std::string text;
  for (const std::string& one : inputs) text += bytes(1, one);
  return bytes(1, text + bytes(2, output) + bytes(3, "/" + output) + bytes(4, op) + attributes);
}
std::string integer(const std::string& name, std::uint64_t value) {
  return bytes(5, bytes(1, name) + whole(3, value) + whole(20, 2));
}
// Of floats, with weights of that many bytes, which nobody reads.
std::string initializer(const std::string& name, const std::vector<int>& shape) {
  std::string text;
  std::size_t size = 4;
  for (const int one : shape) {
    text += whole(1, static_cast<std::uint64_t>(one));
    size *= static_cast<std::size_t>(one);
  }
  return bytes(5, text + whole(2, 1) + bytes(8, name) + bytes(9, std::string(size, '\1')));
}
std::string number(const std::string& name, const std::string& raw) {
  return bytes(5, whole(2, 1) + bytes(8, name) + bytes(9, raw));
}
std::string value(int field, const std::string& name, const std::string& dimensions) {
  return bytes(field, bytes(1, name) + bytes(2, bytes(1, whole(1, 1) + bytes(2, dimensions))));
}
std::string input() {
  return value(11, "x", bytes(1, bytes(2, "batch")) + bytes(1, whole(1, 784)));
}
std::string model(const std::string& graph, std::uint64_t opset = 17) {
  return whole(1, 8) + bytes(8, whole(2, opset)) + bytes(7, graph);
}
std::string mlp(const std::string& middle) {
  return model(node("Gemm", {"x", "0.weight", "0.bias"}, "a", integer("transB", 1)) + middle +
               node("Gemm", {"b", "3.weight", "3.bias"}, "y", integer("transB", 1)) +
               initializer("0.weight", {256, 784}) + initializer("0.bias", {256}) +
               initializer("3.weight", {10, 256}) + initializer("3.bias", {10}) + input() +
               value(12, "y", ""));
}

Result<readers::ExportedProgram> parsed(const std::string& text) {
  const auto source = readers::open_memory(text);
  return readers::parse_onnx(*source, "m.onnx");
}

std::vector<std::string> targets(const readers::ExportedProgram& program) {
  std::vector<std::string> made;
  for (const readers::Node& one : program.graph.nodes) made.push_back(one.target.substr(15));
  return made;
}

std::string problem(const std::string& text) {
  const auto made = parsed(text);
  return made ? "none" : to_string(made.error());
}

// The same network that readers_test reads from an archive of torch.export, whose bytes PyTorch
// 2.11 allocates on the emulated device; ONNX brings no example inputs, which changes no peak.
TEST(Onnx, IsTheNetworkThatPyTorchTrains) {
  auto program = parsed(mlp(node("Relu", {"a"}, "r") + node("Dropout", {"r"}, "b")));
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_THAT(targets(*program),
              ElementsAre("linear.default", "relu.default", "dropout.default", "linear.default"));
  auto spec = parse_spec(
      "model: {onnx: m.onnx}\noptimizer: adamw\ngpu: a100-sxm-80gb\ntarget: {shape: []}\n"
      "batch_size: 64\n",
      "spec.yaml");
  ASSERT_TRUE(spec) << to_string(spec.error());
  spec->source->program = std::make_shared<const readers::ExportedProgram>(std::move(*program));
  const auto all = pipeline::estimate({*spec}, *devices::find("a100-sxm-80gb"));
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ((*all)[0].memory.parameter_count, 203'530);
  EXPECT_EQ((*all)[0].memory.peak_allocated_bytes, 22'362'624);
}

TEST(Onnx, ReadsGeluWrittenWithErf) {
  const std::string half("\0\0\0\x3f", 4), one("\0\0\x80\x3f", 4), root("\xf3\x04\xb5\x3f", 4);
  const auto program = parsed(mlp(number("half", half) + number("one", one) + number("root", root) +
                                  node("Div", {"a", "root"}, "s") + node("Erf", {"s"}, "e") +
                                  node("Add", {"e", "one"}, "p") + node("Mul", {"a", "p"}, "t") +
                                  node("Mul", {"t", "half"}, "b")));
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_THAT(targets(*program), ElementsAre("linear.default", "gelu.default", "linear.default"));
  // The constants are no parameters.
  EXPECT_EQ(program->inputs.size(), 5u);
}

TEST(Onnx, NamesWhatIsNotModelled) {
  EXPECT_THAT(problem(mlp(node("Det", {"a"}, "b"))),
              HasSubstr("m.onnx: error: node '/b' (Det): this operator is not modelled"));
  EXPECT_THAT(problem(model(node("Relu", {"x"}, "y"), 9)), HasSubstr("opset 9 is not modelled"));
  EXPECT_THAT(problem(mlp(node("Reshape", {"a", "computed"}, "b"))),
              HasSubstr("'shape' is computed by the graph"));
}

TEST(Onnx, SaysWhereAFileIsBroken) {
  EXPECT_THAT(problem(""), HasSubstr("m.onnx: error: holds no graph"));
  EXPECT_THAT(problem("not protobuf"), HasSubstr("m.onnx: error: at byte"));
  const std::string sound = mlp(node("Relu", {"a"}, "b"));
  EXPECT_THAT(problem(sound.substr(0, sound.size() / 2)), HasSubstr("are said to follow"));
  // Whatever is done to a file is an error or a program, never more.
  for (std::size_t i = 0; i < 200; ++i) {
    std::string changed = sound;
    changed[i] = static_cast<char>(~changed[i]);
    problem(changed);
  }
}

}  // namespace
}  // namespace forerun
