#include "estimator/autograd/optimizer.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "estimator/autograd/optimizer_parts.h"

namespace forerun::autograd {
namespace {

using ops::Category;
using ops::Runtime;
using ops::Tensor;
using ops::Tensors;
class Adam : public Optimizer {
 public:
  explicit Adam(const OptimizerSpec& spec)
      : decoupled_(spec.name == OptimizerKind::AdamW),
        decays_(spec.weight_decay != 0),
        amsgrad_(spec.amsgrad),
        maximizes_(spec.maximize),
        implementation_(spec.implementation) {}

  bool takes_scale() const override { return implementation_ == OptimizerImplementation::Fused; }

  void step(Runtime& run, const Parameters& parameters) override {
    if (state_.empty()) make_state(run, parameters);
    if (implementation_ == OptimizerImplementation::Fused) fused(run, parameters);
    if (implementation_ == OptimizerImplementation::Foreach)
      foreach (run, parameters)
        ;
    if (implementation_ == OptimizerImplementation::ForLoop) for_loop(run, parameters);
  }

 private:
  struct State {
    Tensor step;                      // on the device only when fused
    Tensor average, square, largest;  // the last with amsgrad
  };

  void make_state(Runtime& run, const Parameters& parameters) {
    run.tape.refine("optimizer step: state");
    for (Parameter* parameter : parameters) {
      State made;
      if (implementation_ == OptimizerImplementation::Fused) {
        made.step =
            run.empty({}, DType::Float32, Category::OptimizerState, parameter->name, "step");
      }
      made.average = state_like(run, *parameter, "exp_avg");
      made.square = state_like(run, *parameter, "exp_avg_sq");
      run.launch("zeros_like", {&made.average});
      run.launch("zeros_like", {&made.square});
      if (amsgrad_) made.largest = state_like(run, *parameter, "max_exp_avg_sq");
      state_.push_back(std::move(made));
    }
  }

  void fused(Runtime& run, const Parameters& parameters) {
    run.tape.refine("optimizer step: fused adam");
    launch_all(run, "_fused_adam_", parameters, 7);
  }

  void foreach (Runtime& run, const Parameters& parameters) {
    Tensors changed = changed_gradients(run, parameters, maximizes_, decays_ && !decoupled_);
    if (decays_ && decoupled_) launch_all(run, "_foreach_mul_", parameters, 2);
    launch_all(run, "_foreach_lerp_", parameters, 3);
    launch_all(run, "_foreach_mul_", parameters, 2);
    launch_all(run, "_foreach_addcmul_", parameters, 3);
    changed.clear();
    run.tape.refine("optimizer step: _foreach_sqrt(exp_avg_sq)");
    const Tensors roots = temporaries_like(run, parameters, "sqrt(exp_avg_sq)");
    if (amsgrad_) launch_all(run, "_foreach_maximum_", parameters, 3);
    launch_all(run, "_foreach_sqrt", parameters, 2);
    launch_all(run, "_foreach_div_", parameters, 2);
    launch_all(run, "_foreach_add_", parameters, 2);
    launch_all(run, "_foreach_addcdiv_", parameters, 4);
  }

  void for_loop(Runtime& run, const Parameters& parameters) {
    // Python names that live from one turn of the loop into the next, until they are bound again.
    Tensor grad, denom;
    for (Parameter* parameter : parameters) {
      run.tape.refine(fmt::format("optimizer step: {}", parameter->name));
      bind_gradient(run, *parameter, maximizes_, decays_ && !decoupled_, grad);
      if (decays_ && decoupled_) launch_one(run, "mul_", *parameter, 2);
      launch_one(run, "lerp_", *parameter, 3);
      launch_one(run, "mul_", *parameter, 2);
      launch_one(run, "addcmul_", *parameter, 3);
      Tensor root = temporary_like(run, *parameter, "sqrt(exp_avg_sq)");
      Tensor divided = temporary_like(run, *parameter, "denominator");
      root = {};
      denom = std::move(divided);
      launch_one(run, "sqrt", *parameter, 2);
      launch_one(run, "div", *parameter, 2);
      launch_one(run, "add_", *parameter, 2);
      launch_one(run, "addcdiv_", *parameter, 4);
    }
  }

  const bool decoupled_, decays_, amsgrad_, maximizes_;
  const OptimizerImplementation implementation_;
  std::vector<State> state_;
};

class Sgd : public Optimizer {
 public:
  explicit Sgd(const OptimizerSpec& spec)
      : momentum_(spec.momentum != 0),
        decays_(spec.weight_decay != 0),
        nesterov_(spec.nesterov),
        maximizes_(spec.maximize),
        implementation_(spec.implementation) {}

  bool takes_scale() const override { return implementation_ == OptimizerImplementation::Fused; }

  void step(Runtime& run, const Parameters& parameters) override {
    if (implementation_ == OptimizerImplementation::Fused) fused(run, parameters);
    if (implementation_ == OptimizerImplementation::Foreach)
      foreach (run, parameters)
        ;
    if (implementation_ == OptimizerImplementation::ForLoop) for_loop(run, parameters);
  }

 private:
  bool first() const { return momentum_ && buffers_.empty(); }

  void make_buffers(Runtime& run, const Parameters& parameters) {
    run.tape.refine("optimizer step: momentum buffers");
    for (Parameter* parameter : parameters)
      buffers_.push_back(state_like(run, *parameter, "momentum buffer"));
  }

  void fused(Runtime& run, const Parameters& parameters) {
    if (first()) make_buffers(run, parameters);
    run.tape.refine("optimizer step: fused sgd");
    launch_all(run, "_fused_sgd_", parameters, momentum_ ? 5 : 3);
  }

  void foreach (Runtime& run, const Parameters& parameters) {
    const Tensors changed = changed_gradients(run, parameters, maximizes_, decays_);
    if (first()) {
      make_buffers(run, parameters);
      for (Parameter* parameter : parameters) launch_one(run, "clone", *parameter, 2);
    } else if (momentum_) {
      launch_all(run, "_foreach_mul_", parameters, 2);
      launch_all(run, "_foreach_add_", parameters, 3);
    }
    launch_all(run, "_foreach_add_", parameters, 3);
  }

  void for_loop(Runtime& run, const Parameters& parameters) {
    const bool fresh = first();
    Tensor grad;  // lives from one turn of the loop into the next
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& parameter = *parameters[i];
      run.tape.refine(fmt::format("optimizer step: {}", parameter.name));
      bind_gradient(run, parameter, maximizes_, decays_, grad);
      if (fresh) {
        buffers_.push_back(state_like(run, parameter, "momentum buffer"));
        launch_one(run, "clone", parameter, 2);
      } else if (momentum_) {
        launch_one(run, "mul_", parameter, 2);
        launch_one(run, "add_", parameter, 3);
      }
      if (nesterov_) {
        Tensor ahead = temporary_like(run, parameter, "nesterov gradient");
        launch_one(run, "add", parameter, 3);
        grad = std::move(ahead);
      } else if (momentum_) {
        grad = buffers_[i];
      }
      launch_one(run, "add_", parameter, 3);
    }
  }

  const bool momentum_, decays_, nesterov_, maximizes_;
  const OptimizerImplementation implementation_;
  Tensors buffers_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec, Framework::Frontend frontend) {
  if (frontend == Framework::Frontend::LibTorch) return make_libtorch_optimizer(spec);
  switch (spec.name) {
    case OptimizerKind::Sgd: return std::make_unique<Sgd>(spec);
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW: return std::make_unique<Adam>(spec);
    default: return make_other_optimizer(spec);
  }
}

}  // namespace forerun::autograd
