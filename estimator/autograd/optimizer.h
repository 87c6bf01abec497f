// What an optimizer step allocates (torch/optim/{adam,sgd}.py, 2.11): lazily made state, and the
// temporaries of its three implementations.
#pragma once

#include <memory>
#include <vector>

#include "core/spec.h"
#include "estimator/autograd/engine.h"

namespace forerun::autograd {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step(ops::Runtime& run, const std::vector<Parameter*>& parameters) = 0;
  // The fused kernels unscale and check gradients themselves (_step_supports_amp_scaling).
  virtual bool takes_scale() const { return false; }
};

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec);

}  // namespace forerun::autograd
