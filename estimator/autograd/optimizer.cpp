#include "estimator/autograd/optimizer.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace forerun::autograd {
namespace {

using ops::Category;
using ops::Runtime;
using ops::Tensor;
using ops::Tensors;
using Parameters = std::vector<Parameter*>;

Tensor state_like(Runtime& run, const Parameter& parameter, std::string_view what) {
  return run.empty(parameter.value.shape, parameter.value.dtype, Category::OptimizerState,
                   fmt::format("{} {}", parameter.name, what));
}

Tensor temporary_like(Runtime& run, const Parameter& parameter, std::string_view what) {
  return run.empty(parameter.value.shape, parameter.value.dtype, Category::Temporaries,
                   fmt::format("{} {}", parameter.name, what));
}

// A kernel over every parameter that touches each element `passes` times.
void launch_all(Runtime& run, std::string_view kernel, const Parameters& parameters, int passes) {
  double bytes = 0;
  for (Parameter* parameter : parameters) bytes += static_cast<double>(parameter->value.bytes());
  run.tape.launch(kernel, DType::Float32, 0, bytes * passes);
}

void launch_one(Runtime& run, std::string_view kernel, const Parameter& parameter, int passes) {
  run.tape.launch(kernel, DType::Float32, 0, static_cast<double>(parameter.value.bytes()) * passes);
}

class Adam : public Optimizer {
 public:
  explicit Adam(const OptimizerSpec& spec)
      : decoupled_(spec.name == OptimizerKind::AdamW),
        decays_(spec.weight_decay != 0),
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
    Tensor step;  // on the device only when fused
    Tensor average, square;
  };

  void make_state(Runtime& run, const Parameters& parameters) {
    run.tape.refine("optimizer step: state");
    for (Parameter* parameter : parameters) {
      State made;
      if (implementation_ == OptimizerImplementation::Fused) {
        made.step =
            run.empty({}, DType::Float32, Category::OptimizerState, parameter->name + " step");
      }
      made.average = state_like(run, *parameter, "exp_avg");
      made.square = state_like(run, *parameter, "exp_avg_sq");
      run.launch("zeros_like", {&made.average});
      run.launch("zeros_like", {&made.square});
      state_.push_back(std::move(made));
    }
  }

  void fused(Runtime& run, const Parameters& parameters) {
    run.tape.refine("optimizer step: fused adam");
    launch_all(run, "_fused_adam_", parameters, 7);
  }

  void foreach (Runtime& run, const Parameters& parameters) {
    if (decays_ && decoupled_) launch_all(run, "_foreach_mul_", parameters, 2);
    Tensors decayed;
    if (decays_ && !decoupled_) {
      run.tape.refine("optimizer step: _foreach_add(gradients, parameters)");
      for (Parameter* parameter : parameters)
        decayed.push_back(temporary_like(run, *parameter, "decayed gradient"));
      launch_all(run, "_foreach_add", parameters, 3);
    }
    launch_all(run, "_foreach_lerp_", parameters, 3);
    launch_all(run, "_foreach_mul_", parameters, 2);
    launch_all(run, "_foreach_addcmul_", parameters, 3);
    decayed.clear();
    run.tape.refine("optimizer step: _foreach_sqrt(exp_avg_sq)");
    Tensors roots;
    for (Parameter* parameter : parameters)
      roots.push_back(temporary_like(run, *parameter, "sqrt(exp_avg_sq)"));
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
      grad = parameter->gradient;
      if (decays_ && decoupled_) launch_one(run, "mul_", *parameter, 2);
      if (decays_ && !decoupled_) {
        grad = temporary_like(run, *parameter, "decayed gradient");
        launch_one(run, "add", *parameter, 3);
      }
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

  const bool decoupled_, decays_;
  const OptimizerImplementation implementation_;
  std::vector<State> state_;
};

class Sgd : public Optimizer {
 public:
  explicit Sgd(const OptimizerSpec& spec)
      : momentum_(spec.momentum != 0),
        decays_(spec.weight_decay != 0),
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
    Tensors decayed;
    if (decays_) {
      run.tape.refine("optimizer step: _foreach_add(gradients, parameters)");
      for (Parameter* parameter : parameters)
        decayed.push_back(temporary_like(run, *parameter, "decayed gradient"));
      launch_all(run, "_foreach_add", parameters, 3);
    }
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
      grad = parameter.gradient;
      if (decays_) {
        grad = temporary_like(run, parameter, "decayed gradient");
        launch_one(run, "add", parameter, 3);
      }
      if (fresh) {
        buffers_.push_back(state_like(run, parameter, "momentum buffer"));
        launch_one(run, "clone", parameter, 2);
      } else if (momentum_) {
        launch_one(run, "mul_", parameter, 2);
        launch_one(run, "add_", parameter, 3);
      }
      if (momentum_) grad = buffers_[i];
      launch_one(run, "add_", parameter, 3);
    }
  }

  const bool momentum_, decays_;
  const OptimizerImplementation implementation_;
  Tensors buffers_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec) {
  if (spec.name == OptimizerKind::Sgd) return std::make_unique<Sgd>(spec);
  return std::make_unique<Adam>(spec);
}

}  // namespace forerun::autograd
