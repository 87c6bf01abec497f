#include "estimator/graph/graph.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/nearest.h"
#include "core/units.h"
#include "estimator/graph/builder.h"
#include "estimator/graph/exported.h"
#include "estimator/graph/functional.h"
#include "estimator/graph/model_catalog.h"

namespace forerun::graph {
namespace {

const ops::Operator& loss_operator(LossKind loss) {
  switch (loss) {
    case LossKind::CrossEntropy: return ops::kCrossEntropy;
    case LossKind::Mse: return ops::kMseLoss;
    case LossKind::BceWithLogits: return ops::kBceWithLogits;
    case LossKind::L1: return ops::kL1Loss;
    case LossKind::SmoothL1: return ops::kSmoothL1Loss;
    case LossKind::Huber: return ops::kHuberLoss;
    case LossKind::Nll: return ops::kNllLoss;
  }
  return ops::kCrossEntropy;
}

Shape batched(std::int64_t batch, const Shape& sample) {
  Shape shape = sample;
  shape.insert(shape.begin(), batch);
  return shape;
}

// cross_entropy and nll
Status check_classes(const Spec& spec, const Shape& logits, const Shape& target) {
  const std::string_view loss = name(spec.loss);
  if (spec.target.dtype != DType::Int64) {
    return error_at(
        spec.target.at,
        fmt::format("{} with a target of {} is not modelled", loss, name(spec.target.dtype)),
        "class indices: dtype int64");
  }
  if (logits.size() != 2) {
    return error_at(spec.target.at,
                    fmt::format("{} needs logits [samples, classes], but the model gives {}", loss,
                                to_string(logits)));
  }
  if (logits[0] != numel(target)) {
    return error_at(
        spec.target.at,
        fmt::format("{} needs one target a row of logits, but there are {} targets for {}", loss,
                    numel(target).value_or(0), to_string(logits)));
  }
  return Done{};
}

Status check_elementwise(const Spec& spec, const Shape& prediction, const Shape& target) {
  const std::string_view loss = name(spec.loss);
  if (spec.target.dtype != DType::Float32) {
    return error_at(spec.target.at,
                    fmt::format("{} needs a float32 target, not {}", loss, name(spec.target.dtype)),
                    "dtype: float32");
  }
  if (prediction != target) {
    return error_at(spec.target.at,
                    fmt::format("{} needs a target of the prediction's shape {}, not {}", loss,
                                to_string(prediction), to_string(target)));
  }
  if (spec.precision == Precision::Bf16) {
    return error_at(
        spec.target.at,
        fmt::format("{} between bfloat16 predictions and a float32 target is not modelled", loss),
        "precision: fp32, bf16-mixed, or fp16-mixed");
  }
  return Done{};
}

Status check_loss(const Spec& spec, const Shape& prediction, const Shape& target) {
  const bool classes = spec.loss == LossKind::CrossEntropy || spec.loss == LossKind::Nll;
  if (spec.label_smoothing > 0)
    return error_at({spec.path, {}, {}}, "label_smoothing is not modelled by the estimate",
                    "loss: cross_entropy");
  return classes ? check_classes(spec, prediction, target)
                 : check_elementwise(spec, prediction, target);
}

std::string print_operand(const Graph& graph, int parameter) {
  return parameter < 0 ? "none"
                       : to_string(graph.parameters[static_cast<std::size_t>(parameter)].shape);
}

}  // namespace

std::int64_t Graph::parameter_count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.trainable && !parameter.discarded) count += numel(parameter.shape).value_or(0);
  }
  return count;
}

std::int64_t Graph::parameters_bytes() const {
  std::int64_t bytes = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.trainable && !parameter.discarded)
      bytes += numel(parameter.shape).value_or(0) * size_bytes(parameter.dtype);
  }
  return bytes;
}

namespace {

Result<Graph> finished(Builder& builder) {
  Graph graph = std::move(builder.graph());
  if (const Status sound = verify(graph); !sound) return sound.error();
  return graph;
}

const models::CatalogEntry* find_model(const ModelSource& source) {
  const auto known = models::catalog();
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
    return entry.model->recognises(source);
  });
  return found == known.end() ? nullptr : &*found;
}

Error unknown_model(const ModelSource& source) {
  std::vector<std::string> families;
  for (const models::CatalogEntry& entry : models::catalog()) families.emplace_back(entry.id);
  const std::string accepted = fmt::format("one of the families {}", fmt::join(families, ", "));
  if (source.kind == ModelSource::Kind::Torchvision) {
    std::vector<std::string> names;
    for (const models::CatalogEntry& entry : models::catalog()) {
      if (entry.model->names == nullptr) continue;
      const auto more = entry.model->names();
      names.insert(names.end(), more.begin(), more.end());
    }
    return error_at(source.at, fmt::format("torchvision: '{}' is not modelled", source.name),
                    suggest(source.name, names));
  }
  const ConfigValue* type = source.config.find("model_type");
  if (type == nullptr)
    return error_at(source.config.at, "the configuration has no 'model_type'", accepted);
  return error_at(type->at, fmt::format("model_type '{}' is not modelled", type->text), accepted);
}

Result<Name> exported_loss(Builder& builder, const Spec& spec, Name output) {
  const bool has_target = !spec.target.at.file.empty();
  if (output.shape().empty() && is_floating(output.dtype())) {
    if (has_target)
      return error_at(spec.target.at, "the program returns a single number, its loss",
                      "no 'target'");
    if (builder.graph().target < 0) builder.labels_are_input();
    return output;
  }
  if (!has_target)
    return error_at({spec.path, {}, {}},
                    fmt::format("the program returns {}, and the spec has no 'target'",
                                to_string(output.shape())),
                    "target: {shape: []}, or a program that returns its loss");
  Name target =
      builder.data("target", batched(spec.batch_size, spec.target.shape), spec.target.dtype);
  if (builder.failed()) return builder.error();
  const bool classes = spec.loss == LossKind::CrossEntropy || spec.loss == LossKind::Nll;
  if (classes && output.shape().size() == 3 && target.shape().size() == 2) {
    output = fn::reshape(std::move(output), {-1, output.size(-1)});
    target = fn::reshape(std::move(target), {-1});
  }
  if (const Status fine = check_loss(spec, output.shape(), target.shape()); !fine)
    return fine.error();
  const Builder::Scope scope(builder, std::string(name(spec.loss)));
  std::vector<Name> operands;
  operands.push_back(std::move(output));
  operands.push_back(std::move(target));
  Name loss = builder.apply_one(loss_operator(spec.loss), std::move(operands));
  if (builder.failed()) return builder.error();
  return loss;
}

// A model of transformers gives its own loss; its inputs come from its configuration.
Result<Graph> build_with_loss(Builder& builder, const models::Model& model, const Spec& spec) {
  {
    const Name loss = model.build(builder, spec, {});
    if (builder.failed()) return builder.error();
    builder.graph().loss = loss.id();
    builder.keep_forever(loss);
  }
  return finished(builder);
}

// What an exported program returns is its loss where that is a single number; else the spec's loss
// of it and the target, with [batch, length, classes] and [batch, length] made flat for losses over
// classes.
Result<Graph> build_exported(Builder& builder, const Spec& spec) {
  builder.graph().by_setup = spec.setup == Setup::OnDevice;
  const auto program = program_of(*spec.source);
  if (!program) return program.error();
  {
    auto output = run_exported(builder, spec, **program);
    if (!output) return output.error();
    const auto loss = exported_loss(builder, spec, std::move(*output));
    if (!loss) return loss.error();
    builder.graph().loss = loss->id();
    builder.keep_forever(*loss);
  }
  return finished(builder);
}

}  // namespace

Result<Graph> build(const Spec& spec) {
  Builder builder(spec);
  if (spec.source && spec.source->is_file()) return build_exported(builder, spec);
  const models::CatalogEntry* entry = nullptr;
  if (spec.source) {
    entry = find_model(*spec.source);
    if (entry == nullptr) return unknown_model(*spec.source);
    builder.graph().by_setup = spec.setup == Setup::OnDevice;
    if (spec.source->kind == ModelSource::Kind::HfConfig)
      return build_with_loss(builder, *entry->model, spec);
  }
  DType input_dtype = spec.input.dtype;
  if (spec.precision == Precision::Bf16 && input_dtype == DType::Float32)
    input_dtype = DType::BFloat16;
  const auto input = builder.add_value(batched(spec.batch_size, spec.input.shape), input_dtype,
                                       "input", spec.input.at);
  if (!input) return input.error();
  const auto target = builder.add_value(batched(spec.batch_size, spec.target.shape),
                                        spec.target.dtype, "target", spec.target.at);
  if (!target) return target.error();
  builder.graph().input = *input;
  builder.graph().target = *target;

  auto prediction = entry == nullptr ? builder.model(spec.model, *input)
                                     : builder.prediction(*entry->model, *input);
  if (!prediction) return prediction.error();
  if (builder.graph().parameters.empty()) {
    return error_at(spec.input.at, "the model has no parameters to train",
                    "a layer that has some, such as linear");
  }
  if (const Status ok = check_loss(spec, builder.shape(*prediction), builder.shape(*target)); !ok)
    return ok.error();
  builder.at(std::string(name(spec.loss)));
  const auto loss = builder.call(loss_operator(spec.loss), {*prediction, *target}, {}, {});
  if (!loss) return loss.error();
  if (*prediction != *input) builder.drop(*prediction);
  builder.graph().loss = *loss;

  return finished(builder);
}

std::string print(const Graph& graph) {
  std::string text;
  auto describe = [&](ValueId id) {
    const Value& value = graph.values[static_cast<std::size_t>(id)];
    return fmt::format("{}{}", name(value.dtype), to_string(value.shape));
  };
  text += fmt::format("%{} : {}  # input\n%{} : {}  # target\n", graph.input, describe(graph.input),
                      graph.target, describe(graph.target));
  for (const ValueId more : graph.more_inputs)
    text += fmt::format("%{} : {}  # {}\n", more, describe(more),
                        graph.values[static_cast<std::size_t>(more)].what);
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.parameter >= 0)
      text += fmt::format("%{} : {}  # {}\n", id, describe(static_cast<ValueId>(id)), value.what);
  }
  for (const Instruction& step : graph.instructions) {
    if (step.op == nullptr) {
      text += fmt::format("drop %{}\n", step.inputs[0]);
      continue;
    }
    std::vector<std::string> operands;
    for (const ValueId input : step.inputs)
      operands.push_back(input < 0 ? "none" : fmt::format("%{}", input));
    for (const int parameter : step.parameters) operands.push_back(print_operand(graph, parameter));
    if (step.attributes.inplace) operands.emplace_back("inplace");
    if (step.attributes.p > 0) operands.push_back(fmt::format("p={}", step.attributes.p));
    text += fmt::format("%{} = {}({}) : {}  # {}\n", step.output, step.op->name,
                        fmt::join(operands, ", "), describe(step.output), step.where);
  }
  return text;
}

Status verify(const Graph& graph) {
  enum class State { Undefined, Live, Dropped };
  std::vector<State> state(graph.values.size(), State::Undefined);
  for (std::size_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].parameter >= 0) state[i] = State::Live;
  auto at = [&](ValueId id) -> State& { return state[static_cast<std::size_t>(id)]; };
  at(graph.input) = at(graph.target) = State::Live;
  for (const ValueId more : graph.more_inputs) at(more) = State::Live;
  for (const Instruction& step : graph.instructions) {
    for (const ValueId input : step.inputs) {
      if (input < 0) continue;
      if (at(input) != State::Live)
        return error(fmt::format("graph: %{} is used but not alive ({})", input, step.where));
    }
    if (step.op == nullptr) {
      at(step.inputs[0]) = State::Dropped;
      continue;
    }
    for (const ValueId also : step.also) at(also) = State::Live;
    if (at(step.output) != State::Undefined)
      return error(fmt::format("graph: %{} is defined twice ({})", step.output, step.where));
    at(step.output) = State::Live;
  }
  if (at(graph.loss) != State::Live) return error("graph: the loss is not alive at the end");
  return Done{};
}

}  // namespace forerun::graph
