#include "estimator/readers/onnx.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/readers/onnx_model.h"

namespace forerun::readers {
namespace {

// --- arguments of ATen's schemas ---

Argument tensor(const std::string& name) {
  Argument made;
  if (name.empty()) return made;
  made.kind = Argument::Kind::Tensor;
  made.text = name;
  return made;
}
Argument tensors(std::vector<std::string> names) {
  Argument made;
  made.kind = Argument::Kind::Tensors;
  made.names = std::move(names);
  return made;
}
Argument integer(std::int64_t value) {
  Argument made;
  made.kind = Argument::Kind::Integer;
  made.integers.push_back({value, {}});
  return made;
}
Argument integers(const std::vector<std::int64_t>& values) {
  Argument made;
  made.kind = Argument::Kind::Integers;
  for (const std::int64_t value : values) made.integers.push_back({value, {}});
  return made;
}
Argument number(double value) {
  Argument made;
  made.kind = Argument::Kind::Number;
  made.number = value;
  return made;
}
Argument flag(bool value) {
  Argument made;
  made.kind = Argument::Kind::Flag;
  made.flag = value;
  return made;
}

using Arguments = std::vector<NamedArgument>;

class Translator {
 public:
  Translator(const OnnxModel& model, const std::string& path) : model_(model) {
    program_.path = path;
    program_.member = path;
    program_.example_inputs = false;
    program_.notes.push_back(
        "the ONNX graph as PyTorch would train it operator by operator: code that one would write "
        "may use other ones");
  }

  Result<ExportedProgram> translate() {
    if (model_.opset < 13)
      refuse(fmt::format("opset {} is not modelled", model_.opset), "opset 13 or later");
    for (const OnnxTensor& one : model_.initializers) known_[one.name] = &one;
    count_uses();
    fold_gelu();
    for (const OnnxNode& node : model_.nodes) {
      if (problem_) break;
      if (folded_.count(&node) > 0) continue;
      translate(node);
    }
    if (!problem_) add_inputs_and_outputs();
    if (problem_) return *problem_;
    return std::move(program_);
  }

 private:
  void refuse(const std::string& what, const std::string& accepted = {}) {
    if (!problem_) problem_ = error_at({program_.path, {}, {}}, what, accepted);
  }
  void refuse(const OnnxNode& node, const std::string& what) {
    refuse(fmt::format("node '{}' ({}): {}", node.name, node.op, what));
  }

  // --- what a node says ---

  static std::string input(const OnnxNode& node, std::size_t at) {
    return at < node.inputs.size() ? node.inputs[at] : std::string{};
  }
  static const OnnxAttribute* attribute(const OnnxNode& node, const std::string& name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : &found->second;
  }
  static std::int64_t whole(const OnnxNode& node, const std::string& name, std::int64_t fallback) {
    const OnnxAttribute* found = attribute(node, name);
    return found == nullptr ? fallback : found->integer;
  }
  static double real(const OnnxNode& node, const std::string& name, double fallback) {
    const OnnxAttribute* found = attribute(node, name);
    return found == nullptr ? fallback : found->number;
  }
  static std::vector<std::int64_t> list(const OnnxNode& node, const std::string& name) {
    const OnnxAttribute* found = attribute(node, name);
    return found == nullptr ? std::vector<std::int64_t>{} : found->integers;
  }
  const OnnxTensor* constant(const std::string& name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : found->second;
  }
  static std::int64_t elements(const OnnxTensor& of) {
    std::int64_t made = 1;
    for (const std::int64_t size : of.shape) made *= std::clamp<std::int64_t>(size, 0, 1 << 20);
    return made;
  }
  // A single number, whatever its shape; nothing where it is no constant.
  std::optional<double> scalar(const std::string& name) const {
    const OnnxTensor* found = constant(name);
    if (found == nullptr || elements(*found) != 1) return std::nullopt;
    if (found->number) return found->number;
    if (found->integers.size() == 1) return static_cast<double>(found->integers[0]);
    return std::nullopt;
  }
  // A list of whole numbers: the attribute of older opsets, or a constant input.
  std::optional<std::vector<std::int64_t>> whole_list(const OnnxNode& node, std::size_t at,
                                                      const std::string& name) {
    if (attribute(node, name) != nullptr) return list(node, name);
    const OnnxTensor* found = constant(input(node, at));
    if (found != nullptr && static_cast<std::int64_t>(found->integers.size()) == elements(*found))
      return found->integers;
    refuse(node, fmt::format("'{}' is computed by the graph: that is not modelled", name));
    return std::nullopt;
  }

  // --- what it becomes ---

  void add(const OnnxNode& node, const std::string& target, Arguments arguments) {
    add(node, target, std::move(arguments), node.outputs.empty() ? "" : node.outputs[0]);
  }
  void add(const OnnxNode& node, const std::string& target, Arguments arguments,
           const std::string& output) {
    Node made;
    made.target = "torch.ops.aten." + target;
    made.name = node.name;
    made.module = node.name;
    made.inputs = std::move(arguments);
    made.outputs.push_back(tensor(output));
    for (const NamedArgument& one : made.inputs) {
      use(one.value.text);
      for (const std::string& name : one.value.names) use(name);
    }
    program_.graph.nodes.push_back(std::move(made));
  }
  // An initializer that an operator reads as a tensor is one on the device.
  void use(const std::string& name) {
    if (!name.empty() && constant(name) != nullptr) used_.insert(name);
  }

  void unary(const OnnxNode& node, const std::string& target) {
    add(node, target, {{"self", tensor(input(node, 0))}});
  }

  void binary(const OnnxNode& node, const std::string& name) {
    const std::string a = input(node, 0), b = input(node, 1);
    if (const auto value = scalar(b))
      return add(node, name + ".Tensor", {{"self", tensor(a)}, {"other", number(*value)}});
    const auto first = scalar(a);
    if (!first) return add(node, name + ".Tensor", {{"self", tensor(a)}, {"other", tensor(b)}});
    if (name == "add" || name == "mul")
      return add(node, name + ".Tensor", {{"self", tensor(b)}, {"other", number(*first)}});
    if (name == "sub")
      return add(node, "rsub.Scalar", {{"self", tensor(b)}, {"other", number(*first)}});
    if (name == "div" && *first == 1) return add(node, "reciprocal.default", {{"self", tensor(b)}});
    refuse(node, "a number first is not modelled here");
  }

  void gemm(const OnnxNode& node) {
    if (real(node, "alpha", 1) != 1 || real(node, "beta", 1) != 1 || whole(node, "transA", 0) != 0)
      return refuse(node, "alpha, beta or transA are not modelled");
    const Argument x = tensor(input(node, 0)), weight = tensor(input(node, 1)),
                   bias = tensor(input(node, 2));
    if (whole(node, "transB", 0) != 0)
      return add(node, "linear.default", {{"input", x}, {"weight", weight}, {"bias", bias}});
    if (bias.kind == Argument::Kind::None)
      return add(node, "mm.default", {{"self", x}, {"mat2", weight}});
    add(node, "addmm.default", {{"self", bias}, {"mat1", x}, {"mat2", weight}});
  }

  // Padding that is the same on both sides, one number a dimension.
  std::optional<std::vector<std::int64_t>> padding(const OnnxNode& node, std::size_t dimensions) {
    const OnnxAttribute* automatic = attribute(node, "auto_pad");
    const std::vector<std::int64_t> pads = list(node, "pads");
    std::vector<std::int64_t> made(dimensions, 0);
    bool same = automatic == nullptr || automatic->text == "NOTSET" || automatic->text == "VALID";
    same = same && (pads.empty() || pads.size() == 2 * dimensions);
    for (std::size_t i = 0; same && !pads.empty() && i < dimensions; ++i) {
      made[i] = pads[i];
      same = pads[i] == pads[i + dimensions];
    }
    if (same) return made;
    refuse(node, "padding of one side more than the other is not modelled");
    return std::nullopt;
  }

  static std::vector<std::int64_t> list_or_ones(const OnnxNode& node, const std::string& name,
                                                std::size_t dimensions) {
    const auto given = list(node, name);
    return given.empty() ? std::vector<std::int64_t>(dimensions, 1) : given;
  }

  void convolution(const OnnxNode& node) {
    const OnnxTensor* weight = constant(input(node, 1));
    if (weight == nullptr || weight->shape.size() < 3 || weight->shape.size() > 5)
      return refuse(node, "a kernel that is no initializer is not modelled");
    const std::size_t dimensions = weight->shape.size() - 2;
    const auto pads = padding(node, dimensions);
    if (!pads) return;
    add(node, fmt::format("conv{}d.default", dimensions),
        {{"input", tensor(input(node, 0))},
         {"weight", tensor(input(node, 1))},
         {"bias", tensor(input(node, 2))},
         {"stride", integers(list_or_ones(node, "strides", dimensions))},
         {"padding", integers(*pads)},
         {"dilation", integers(list_or_ones(node, "dilations", dimensions))},
         {"groups", integer(whole(node, "group", 1))}});
  }

  void pool(const OnnxNode& node, const std::string& target) {
    const auto pads = padding(node, 2);
    if (!pads) return;
    if (whole(node, "ceil_mode", 0) != 0 || node.outputs.size() > 1)
      return refuse(node, "ceil_mode or indices are not modelled");
    Arguments arguments = {{"self", tensor(input(node, 0))},
                           {"kernel_size", integers(list(node, "kernel_shape"))},
                           {"stride", integers(list_or_ones(node, "strides", 2))},
                           {"padding", integers(*pads)}};
    if (target == "max_pool2d.default")
      arguments.push_back({"dilation", integers(list_or_ones(node, "dilations", 2))});
    add(node, target, std::move(arguments));
  }

  void batch_norm(const OnnxNode& node) {
    for (const std::size_t at : {3u, 4u}) {
      buffers_.insert(input(node, at));
      use(input(node, at));
    }
    add(node, "batch_norm.default",
        {{"input", tensor(input(node, 0))},
         {"weight", tensor(input(node, 1))},
         {"bias", tensor(input(node, 2))},
         {"training", flag(true)}});
  }

  void layer_norm(const OnnxNode& node) {
    const OnnxTensor* weight = constant(input(node, 1));
    if (weight == nullptr || weight->shape.size() != 1)
      return refuse(node, "over more than the last dimension is not modelled");
    add(node, "layer_norm.default",
        {{"input", tensor(input(node, 0))},
         {"normalized_shape", integers(weight->shape)},
         {"weight", tensor(input(node, 1))},
         {"bias", tensor(input(node, 2))}});
  }

  void gather(const OnnxNode& node) {
    const OnnxTensor* table = constant(input(node, 0));
    const bool looks_up = table != nullptr && table->shape.size() == 2 &&
                          whole(node, "axis", 0) == 0 && constant(input(node, 1)) == nullptr;
    if (!looks_up) return refuse(node, "other than rows of a table is not modelled");
    add(node, "embedding.default",
        {{"weight", tensor(input(node, 0))}, {"indices", tensor(input(node, 1))}});
  }

  void reshape(const OnnxNode& node) {
    const auto shape = whole_list(node, 1, "shape");
    if (!shape) return;
    // 0 keeps the input's size there.
    const bool copies = whole(node, "allowzero", 0) == 0;
    const bool has_zero = std::find(shape->begin(), shape->end(), 0) != shape->end();
    if (has_zero && !copies) return refuse(node, "a tensor without elements is not modelled");
    add(node, "reshape.onnx", {{"self", tensor(input(node, 0))}, {"shape", integers(*shape)}});
  }

  // One after the other, as one would write them.
  void each_axis(const OnnxNode& node, const std::string& target) {
    auto axes = whole_list(node, 1, "axes");
    if (!axes) return;
    std::sort(axes->begin(), axes->end());
    if (target == "squeeze.dim") std::reverse(axes->begin(), axes->end());
    std::string from = input(node, 0);
    for (std::size_t i = 0; i < axes->size(); ++i) {
      const bool last = i + 1 == axes->size();
      const std::string to =
          last ? node.outputs[0] : fmt::format("{} of axis {}", node.outputs[0], (*axes)[i]);
      add(node, target, {{"self", tensor(from)}, {"dim", integer((*axes)[i])}}, to);
      from = to;
    }
  }

  void reduce(const OnnxNode& node, const std::string& target) {
    std::vector<std::int64_t> axes;
    if (attribute(node, "axes") != nullptr || !input(node, 1).empty()) {
      const auto given = whole_list(node, 1, "axes");
      if (!given) return;
      axes = *given;
    }
    add(node, target,
        {{"self", tensor(input(node, 0))},
         {"dim", integers(axes)},
         {"keepdim", flag(whole(node, "keepdims", 1) != 0)}});
  }

  void power(const OnnxNode& node) {
    const auto exponent = scalar(input(node, 1));
    if (!exponent) return refuse(node, "an exponent that is no number is not modelled");
    add(node, "pow.Tensor_Scalar",
        {{"self", tensor(input(node, 0))}, {"exponent", number(*exponent)}});
  }

  void dropout(const OnnxNode& node) {
    const auto ratio =
        input(node, 1).empty() ? std::optional(real(node, "ratio", 0.5)) : scalar(input(node, 1));
    if (!ratio) return refuse(node, "a ratio that the graph computes is not modelled");
    add(node, "dropout.default",
        {{"input", tensor(input(node, 0))}, {"p", number(*ratio)}, {"train", flag(true)}});
  }

  void clip(const OnnxNode& node) {
    if (!scalar(input(node, 1)) || !scalar(input(node, 2)))
      return refuse(node, "bounds that are no numbers are not modelled");
    unary(node, "hardtanh.default");
  }

  void along(const OnnxNode& node, const std::string& target) {
    add(node, target,
        {{"self", tensor(input(node, 0))}, {"dim", integer(whole(node, "axis", -1))}});
  }

  void give_constant(const OnnxNode& node) {
    const OnnxAttribute* value = attribute(node, "value");
    if (value == nullptr || !value->tensor || node.outputs.empty())
      return refuse(node, "this form is not modelled");
    known_[node.outputs[0]] = &*value->tensor;
  }

  void translate(const OnnxNode& node);

  // --- gelu ---

  void count_uses() {
    for (const OnnxNode& node : model_.nodes) {
      for (const std::string& one : node.inputs) readers_of_[one].push_back(&node);
      for (const std::string& one : node.outputs) maker_of_[one] = &node;
      if (node.op != "Constant" || node.outputs.empty()) continue;
      const OnnxAttribute* value = attribute(node, "value");
      if (value != nullptr && value->tensor) known_[node.outputs[0]] = &*value->tensor;
    }
  }

  // The other operand of a node of two; empty where neither is `one`.
  static std::string other_than(const OnnxNode& node, const std::string& one) {
    if (node.inputs.size() != 2) return {};
    if (node.inputs[0] == one) return node.inputs[1];
    return node.inputs[1] == one ? node.inputs[0] : std::string{};
  }
  const OnnxNode* only_reader(const std::string& of, std::string_view op) const {
    const auto found = readers_of_.find(of);
    if (found == readers_of_.end() || found->second.size() != 1) return nullptr;
    return found->second[0]->op == op ? found->second[0] : nullptr;
  }

  // x * 0.5 * (1 + erf(x / sqrt(2))), with the half on either side.
  void fold_gelu() {
    for (const OnnxNode& erf : model_.nodes) {
      if (erf.op != "Erf" || erf.inputs.size() != 1 || erf.outputs.size() != 1) continue;
      const auto scaled = maker_of_.find(erf.inputs[0]);
      if (scaled == maker_of_.end() || scaled->second->inputs.size() != 2) continue;
      const OnnxNode& scale = *scaled->second;
      if ((scale.op != "Div" && scale.op != "Mul") || !scalar(scale.inputs[1])) continue;
      const std::string& x = scale.inputs[0];
      const OnnxNode* plus = only_reader(erf.outputs[0], "Add");
      if (plus == nullptr || plus->outputs.empty() || !scalar(other_than(*plus, erf.outputs[0])))
        continue;
      const OnnxNode* times = only_reader(plus->outputs[0], "Mul");
      if (times == nullptr || times->outputs.empty()) continue;
      fold(erf, scale, *plus, *times, x);
    }
  }

  void fold(const OnnxNode& erf, const OnnxNode& scale, const OnnxNode& plus, const OnnxNode& times,
            const std::string& x) {
    const std::string factor = other_than(times, plus.outputs[0]);
    const OnnxNode* last = &times;
    const OnnxNode* half = nullptr;
    if (factor == x) {
      last = half = only_reader(times.outputs[0], "Mul");
      if (half == nullptr || !scalar(other_than(*half, times.outputs[0]))) return;
    } else {
      const auto made = maker_of_.find(factor);
      if (made == maker_of_.end() || made->second->op != "Mul") return;
      half = made->second;
      if (!scalar(other_than(*half, x))) return;
    }
    for (const OnnxNode* one : {&erf, &scale, &plus, &times, half}) folded_.insert(one);
    folded_.erase(last);
    gelus_[last] = x;
  }

  // --- inputs and outputs ---

  void add_inputs_and_outputs() {
    for (const OnnxTensor& one : model_.initializers)
      if (used_.count(one.name) > 0) add_state(one);
    for (const std::string& one : used_) {
      if (program_.graph.tensors.count(one) == 0 && constant(one) != nullptr) {
        OnnxTensor tensor = *constant(one);
        tensor.name = one;
        add_state(tensor);
      }
    }
    for (const OnnxValue& one : model_.inputs) {
      if (constant(one.name) != nullptr) continue;
      ProgramInput made;
      made.name = one.name;
      program_.inputs.push_back(std::move(made));
      program_.graph.tensors[one.name] = one.meta;
    }
    for (const OnnxValue& one : model_.outputs) {
      program_.outputs.push_back(tensor(one.name));
      program_.graph.outputs.push_back(tensor(one.name));
    }
  }

  void add_state(const OnnxTensor& from) {
    TensorMeta meta;
    meta.dtype = from.dtype;
    for (const std::int64_t size : from.shape) {
      Size made;
      made.value = size;
      meta.sizes.push_back(made);
    }
    ProgramInput made;
    made.name = made.target = from.name;
    const bool trains = from.dtype && is_floating(*from.dtype) && buffers_.count(from.name) == 0;
    made.kind = trains ? ProgramInput::Kind::Parameter : ProgramInput::Kind::Buffer;
    meta.requires_grad = trains;
    program_.inputs.push_back(std::move(made));
    program_.graph.tensors[from.name] = std::move(meta);
  }

  const OnnxModel& model_;
  ExportedProgram program_;
  std::optional<Error> problem_;
  std::map<std::string, const OnnxTensor*> known_;  // initializers and constants
  std::map<std::string, std::vector<const OnnxNode*>> readers_of_;
  std::map<std::string, const OnnxNode*> maker_of_;
  std::set<const OnnxNode*> folded_;
  std::map<const OnnxNode*, std::string> gelus_;  // the last node of one, what it is of
  std::set<std::string> used_;                    // initializers that are on the device
  std::set<std::string> buffers_;
};

void Translator::translate(const OnnxNode& node) {
  if (node.outputs.empty()) return refuse(node, "a node without results");
  if (const auto gelu = gelus_.find(&node); gelu != gelus_.end())
    return add(node, "gelu.default", {{"self", tensor(gelu->second)}});
  static const std::map<std::string_view, const char*> kUnary = {
      {"Relu", "relu.default"},
      {"Tanh", "tanh.default"},
      {"Sigmoid", "sigmoid.default"},
      {"Exp", "exp.default"},
      {"Log", "log.default"},
      {"Sqrt", "sqrt.default"},
      {"Neg", "neg.default"},
      {"Abs", "abs.default"},
      {"Cos", "cos.default"},
      {"Sin", "sin.default"},
      {"Reciprocal", "reciprocal.default"},
      {"Gelu", "gelu.default"},
      {"Elu", "elu.default"},
      {"Selu", "selu.default"},
      {"LeakyRelu", "leaky_relu.default"},
      {"HardSwish", "hardswish.default"},
      {"Softplus", "softplus.default"},
      {"Mish", "mish.default"},
      {"Identity", "alias.default"},
      {"Not", "logical_not.default"}};
  static const std::map<std::string_view, const char*> kBinary = {
      {"Add", "add"},    {"Sub", "sub"},        {"Mul", "mul"},
      {"Div", "div"},    {"Equal", "eq"},       {"Less", "lt"},
      {"Greater", "gt"}, {"LessOrEqual", "le"}, {"GreaterOrEqual", "ge"}};
  static const std::map<std::string_view, void (*)(Translator&, const OnnxNode&)> kOthers = {
      {"Gemm", [](Translator& t, const OnnxNode& n) { t.gemm(n); }},
      {"MatMul",
       [](Translator& t, const OnnxNode& n) {
         t.add(n, "matmul.default",
               {{"self", readers::tensor(input(n, 0))}, {"other", readers::tensor(input(n, 1))}});
       }},
      {"Conv", [](Translator& t, const OnnxNode& n) { t.convolution(n); }},
      {"MaxPool", [](Translator& t, const OnnxNode& n) { t.pool(n, "max_pool2d.default"); }},
      {"AveragePool", [](Translator& t, const OnnxNode& n) { t.pool(n, "avg_pool2d.default"); }},
      {"GlobalAveragePool",
       [](Translator& t, const OnnxNode& n) {
         t.add(n, "adaptive_avg_pool2d.default",
               {{"self", readers::tensor(input(n, 0))}, {"output_size", integers({1, 1})}});
       }},
      {"BatchNormalization", [](Translator& t, const OnnxNode& n) { t.batch_norm(n); }},
      {"LayerNormalization", [](Translator& t, const OnnxNode& n) { t.layer_norm(n); }},
      {"Softmax", [](Translator& t, const OnnxNode& n) { t.along(n, "softmax.int"); }},
      {"LogSoftmax", [](Translator& t, const OnnxNode& n) { t.along(n, "log_softmax.int"); }},
      {"Gather", [](Translator& t, const OnnxNode& n) { t.gather(n); }},
      {"Reshape", [](Translator& t, const OnnxNode& n) { t.reshape(n); }},
      {"Flatten",
       [](Translator& t, const OnnxNode& n) {
         if (whole(n, "axis", 1) != 1) return t.refuse(n, "an axis other than 1 is not modelled");
         t.add(n, "flatten.using_ints",
               {{"self", readers::tensor(input(n, 0))}, {"start_dim", integer(1)}});
       }},
      {"Transpose",
       [](Translator& t, const OnnxNode& n) {
         t.add(n, "permute.default",
               {{"self", readers::tensor(input(n, 0))}, {"dims", integers(list(n, "perm"))}});
       }},
      {"Concat",
       [](Translator& t, const OnnxNode& n) {
         t.add(n, "cat.default",
               {{"tensors", tensors(n.inputs)}, {"dim", integer(whole(n, "axis", 0))}});
       }},
      {"Unsqueeze", [](Translator& t, const OnnxNode& n) { t.each_axis(n, "unsqueeze.default"); }},
      {"Squeeze", [](Translator& t, const OnnxNode& n) { t.each_axis(n, "squeeze.dim"); }},
      {"ReduceMean", [](Translator& t, const OnnxNode& n) { t.reduce(n, "mean.dim"); }},
      {"ReduceSum", [](Translator& t, const OnnxNode& n) { t.reduce(n, "sum.dim_IntList"); }},
      {"Pow", [](Translator& t, const OnnxNode& n) { t.power(n); }},
      {"Dropout", [](Translator& t, const OnnxNode& n) { t.dropout(n); }},
      {"Clip", [](Translator& t, const OnnxNode& n) { t.clip(n); }},
      {"Constant", [](Translator& t, const OnnxNode& n) { t.give_constant(n); }}};
  const bool standard = node.domain.empty() || node.domain == "ai.onnx";
  const auto one = kUnary.find(node.op);
  if (standard && one != kUnary.end()) return unary(node, one->second);
  const auto two = kBinary.find(node.op);
  if (standard && two != kBinary.end()) return binary(node, two->second);
  const auto other = kOthers.find(node.op);
  if (standard && other != kOthers.end()) return other->second(*this, node);
  refuse(node, "this operator is not modelled");
}

}  // namespace

Result<ExportedProgram> parse_onnx(Bytes& bytes, const std::string& path) {
  const auto model = parse_onnx_model(bytes);
  if (!model) {
    Error problem = model.error();
    if (problem.where.file.empty()) problem.where = {path, {}, {}};
    return problem;
  }
  return Translator(*model, path).translate();
}

Result<ExportedProgram> read_onnx(const std::string& path) {
  const auto bytes = open_file(path);
  if (!bytes) return bytes.error();
  return parse_onnx(**bytes, path);
}

}  // namespace forerun::readers
