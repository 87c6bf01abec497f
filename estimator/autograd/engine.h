// Backward in PyTorch's order (torch/csrc/autograd/engine.cpp, input_buffer.cpp,
// accumulate_grad.h; 2.11).
#pragma once

#include "core/result.h"
#include "estimator/ops/runtime.h"

namespace forerun::autograd {

// A trained tensor and its `.grad`. Its address must stay put while a graph refers to it.
struct Parameter {
  ops::Tensor value;
  ops::Tensor gradient;
  std::string name;  // "linear 1 weight"
};

// Makes `parameter.value` a leaf: its gradients end in `parameter.gradient`.
void require_grad(Parameter& parameter);

// Runs everything `root` depends on, latest created first, on the backward thread. The rules that
// decide bytes: a node's incoming gradient dies when the node returns, its saved tensors right
// after; a second gradient for the same node is added in place when nobody else holds the first; a
// parameter keeps the gradient that arrives when it is the only holder, copies it otherwise, and
// adds in place from the second micro-batch on. Errors: an in-place operator overwrote what a node
// kept, where PyTorch stops too; `where` in the message's layers.
Status backward(ops::Runtime& run, const ops::Tensor& root, const ops::Tensor& seed);

}  // namespace forerun::autograd
