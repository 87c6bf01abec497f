// One spec's model, optimizer and step, as a Python program holds them.
#pragma once

#include <memory>
#include <optional>

#include <ATen/Tensor.h>

#include "core/spec.h"
#include "verifier/run/amp.h"
#include "verifier/run/network.h"
#include "verifier/run/optimizers.h"

namespace forerun::run {

// Inputs and targets on the device. Zeros: no shape, and so no byte, depends on the values, and
// zero is a valid class, token and target.
struct Batch {
  at::Tensor input, target;

  static Batch make(const Spec& spec, at::Device device);
};

// True when both specs' batches have the same shapes and dtypes on the device.
bool same_batch(const Spec& a, const Spec& b);

class Training {
 public:
  // Model on the CPU, then to the device; the optimizer makes no tensor until its first step.
  static Result<Training> start(const Spec& spec, at::Device device);

  void step(const Batch& batch);

  const Network& network() const { return network_; }

 private:
  Training(const Spec& spec, at::Device device, Network network);
  at::Tensor loss_of(const Batch& batch) const;
  void micro_step(const Batch& batch, at::Tensor& loss);

  const Spec* spec_;
  at::Device device_;
  Network network_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  GradScaler scaler_;
};

}  // namespace forerun::run
