// What an optimizer step allocates (torch/optim/*.py, 2.11): lazily made state, and the temporaries
// of its implementations; and what LibTorch's loops do (torch/csrc/api/src/optim, 2.11).
#pragma once

#include <memory>
#include <vector>

#include "core/spec.h"
#include "estimator/autograd/engine.h"

namespace forerun::autograd {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // What the constructor makes, before the first batch is on the device.
  virtual void attach(ops::Runtime&, const std::vector<Parameter*>&) {}
  virtual void step(ops::Runtime& run, const std::vector<Parameter*>& parameters) = 0;
  // The fused kernels unscale and check gradients themselves (_step_supports_amp_scaling).
  virtual bool takes_scale() const { return false; }
};

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec, Framework::Frontend frontend);

}  // namespace forerun::autograd
