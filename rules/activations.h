// What a loss is given: the last thing that was done to a value, and which loss it is. The rules
// about activations before losses differ only in what they compare.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace forerun::rules {

enum class Activation {
  Unknown,
  Raw,  // the output of a linear or convolutional layer
  Softmax,
  LogSoftmax,
  Sigmoid,
  LogSigmoid,
  Relu
};
std::string_view name(Activation activation);

struct Activated {
  Activation activation = Activation::Unknown;
  std::optional<Location> at;  // where it is applied, when that is known
};
// Known only when every value it may be agrees. Reshaping, casting, clamping and indexing change
// nothing. The output of a module that came from outside is that of the program's only model.
Activated activation_of(const flow::Analysis& of, const flow::Values& values);

// "cross_entropy" for F.cross_entropy and for a CrossEntropyLoss; empty when it is not known.
std::string loss_name(const flow::Analysis& of, flow::NodeId loss);
// The loss's first argument: what the model gave. Empty when there is none.
flow::Values loss_input(const flow::Analysis& of, flow::NodeId loss);
flow::Values loss_target(const flow::Analysis& of, flow::NodeId loss);

}  // namespace forerun::rules
