// torch/optim/{adagrad,rmsprop,adamax,nadam}.py (2.11), foreach and for-loop; none has a fused
// kernel on CUDA.
#include <utility>

#include <fmt/format.h>

#include "estimator/autograd/optimizer_parts.h"

namespace forerun::autograd {
namespace {

using ops::Runtime;
using ops::Tensor;
using ops::Tensors;

// One step of the four: state made at its time, then the loop or the lists.
class ListOptimizer : public Optimizer {
 public:
  explicit ListOptimizer(const OptimizerSpec& spec) : spec_(spec) {}

  void step(Runtime& run, const Parameters& parameters) override {
    if (state_.empty()) make_state(run, parameters);
    if (spec_.implementation == OptimizerImplementation::ForLoop)
      for_loop(run, parameters);
    else
      lists(run, parameters);
  }

 protected:
  virtual std::vector<std::string_view> state_names() const = 0;
  virtual void lists(Runtime& run, const Parameters& parameters) = 0;
  virtual void for_loop(Runtime& run, const Parameters& parameters) = 0;

  void make_state(Runtime& run, const Parameters& parameters) {
    run.tape.refine("optimizer step: state");
    for (Parameter* parameter : parameters) {
      for (const std::string_view name : state_names()) {
        state_.push_back(state_like(run, *parameter, name));
        launch_one(run, "zeros_like", *parameter, 1);
      }
    }
  }

  Tensors changed(Runtime& run, const Parameters& parameters) const {
    return changed_gradients(run, parameters, spec_.maximize, spec_.weight_decay != 0);
  }
  void bind(Runtime& run, const Parameter& parameter, Tensor& grad) const {
    run.tape.refine(fmt::format("optimizer step: {}", parameter.name));
    bind_gradient(run, parameter, spec_.maximize, spec_.weight_decay != 0, grad);
  }

  const OptimizerSpec spec_;
  Tensors state_;
};

class Adagrad final : public ListOptimizer {
 public:
  using ListOptimizer::ListOptimizer;
  // The only one with state from the start.
  void attach(Runtime& run, const Parameters& parameters) override { make_state(run, parameters); }

 private:
  std::vector<std::string_view> state_names() const override { return {"sum"}; }

  void lists(Runtime& run, const Parameters& parameters) override {
    const Tensors own = changed(run, parameters);
    launch_all(run, "_foreach_addcmul_", parameters, 3);
    run.tape.refine("optimizer step: _foreach_sqrt(sum)");
    const Tensors roots = temporaries_like(run, parameters, "sqrt(sum)");
    launch_all(run, "_foreach_sqrt", parameters, 2);
    launch_all(run, "_foreach_add_", parameters, 2);
    Tensors numerators;
    if (own.empty()) numerators = temporaries_like(run, parameters, "scaled gradient");
    launch_all(run, "_foreach_mul", parameters, 2);
    launch_all(run, "_foreach_addcdiv_", parameters, 4);
  }

  void for_loop(Runtime& run, const Parameters& parameters) override {
    Tensor grad, std;
    for (Parameter* parameter : parameters) {
      bind(run, *parameter, grad);
      launch_one(run, "addcmul_", *parameter, 3);
      Tensor root = temporary_like(run, *parameter, "sqrt(sum)");
      std = std::move(root);
      launch_one(run, "sqrt", *parameter, 2);
      launch_one(run, "add_", *parameter, 2);
      launch_one(run, "addcdiv_", *parameter, 4);
    }
  }
};

class RmsProp final : public ListOptimizer {
 public:
  using ListOptimizer::ListOptimizer;

 private:
  std::vector<std::string_view> state_names() const override {
    std::vector<std::string_view> names{"square_avg"};
    if (spec_.momentum > 0) names.emplace_back("momentum buffer");
    if (spec_.centered) names.emplace_back("grad_avg");
    return names;
  }

  void lists(Runtime& run, const Parameters& parameters) override {
    const Tensors own = changed(run, parameters);
    launch_all(run, "_foreach_mul_", parameters, 2);
    launch_all(run, "_foreach_addcmul_", parameters, 3);
    if (spec_.centered) launch_all(run, "_foreach_lerp_", parameters, 3);
    run.tape.refine("optimizer step: root of the averages");
    const Tensors roots = temporaries_like(run, parameters, "sqrt(square_avg)");
    launch_all(run, "_foreach_sqrt", parameters, spec_.centered ? 5 : 2);
    launch_all(run, "_foreach_add_", parameters, 2);
    if (spec_.momentum > 0) launch_all(run, "_foreach_addcdiv_", parameters, 6);
    launch_all(run, "_foreach_add_", parameters, 3);
  }

  void for_loop(Runtime& run, const Parameters& parameters) override {
    Tensor grad, avg;
    for (Parameter* parameter : parameters) {
      bind(run, *parameter, grad);
      launch_one(run, "addcmul_", *parameter, 5);
      Tensor root = temporary_like(run, *parameter, "sqrt(square_avg)");
      avg = std::move(root);
      launch_one(run, "sqrt", *parameter, 2);
      launch_one(run, "add_", *parameter, 2);
      launch_one(run, "addcdiv_", *parameter, spec_.momentum > 0 ? 7 : 4);
    }
  }
};

class Adamax final : public ListOptimizer {
 public:
  using ListOptimizer::ListOptimizer;

 private:
  std::vector<std::string_view> state_names() const override { return {"exp_avg", "exp_inf"}; }

  void lists(Runtime& run, const Parameters& parameters) override {
    Tensors own = changed(run, parameters);
    launch_all(run, "_foreach_lerp_", parameters, 3);
    launch_all(run, "_foreach_mul_", parameters, 2);
    run.tape.refine("optimizer step: _foreach_abs(gradients)");
    if (own.empty()) own = temporaries_like(run, parameters, "absolute gradient");
    launch_all(run, "_foreach_abs", parameters, 2);
    launch_all(run, "_foreach_add_", parameters, 2);
    launch_all(run, "_foreach_maximum_", parameters, 3);
    launch_all(run, "_foreach_addcdiv_", parameters, 4);
  }

  void for_loop(Runtime& run, const Parameters& parameters) override {
    Tensor grad;
    for (Parameter* parameter : parameters) {
      bind(run, *parameter, grad);
      launch_one(run, "lerp_", *parameter, 3);
      launch_one(run, "mul_", *parameter, 2);
      const Tensor absolute = temporary_like(run, *parameter, "absolute gradient");
      launch_one(run, "maximum", *parameter, 7);
      launch_one(run, "addcdiv_", *parameter, 4);
    }
  }
};

class NAdam final : public ListOptimizer {
 public:
  using ListOptimizer::ListOptimizer;

 private:
  std::vector<std::string_view> state_names() const override { return {"exp_avg", "exp_avg_sq"}; }

  void lists(Runtime& run, const Parameters& parameters) override {
    const Tensors own = changed(run, parameters);
    launch_all(run, "_foreach_lerp_", parameters, 3);
    launch_all(run, "_foreach_addcmul_", parameters, 5);
    run.tape.refine("optimizer step: _foreach_sqrt(exp_avg_sq)");
    const Tensors roots = temporaries_like(run, parameters, "sqrt(exp_avg_sq)");
    launch_all(run, "_foreach_sqrt", parameters, 2);
    launch_all(run, "_foreach_div_", parameters, 4);
    launch_all(run, "_foreach_addcdiv_", parameters, 8);
  }

  void for_loop(Runtime& run, const Parameters& parameters) override {
    Tensor grad, denom;
    for (Parameter* parameter : parameters) {
      bind(run, *parameter, grad);
      launch_one(run, "addcmul_", *parameter, 8);
      Tensor divided = temporary_like(run, *parameter, "exp_avg_sq corrected");
      Tensor root = temporary_like(run, *parameter, "denominator");
      divided = {};
      denom = std::move(root);
      launch_one(run, "sqrt", *parameter, 6);
      launch_one(run, "addcdiv_", *parameter, 8);
    }
  }
};

}  // namespace

std::unique_ptr<Optimizer> make_other_optimizer(const OptimizerSpec& spec) {
  switch (spec.name) {
    case OptimizerKind::Adagrad: return std::make_unique<Adagrad>(spec);
    case OptimizerKind::RmsProp: return std::make_unique<RmsProp>(spec);
    case OptimizerKind::Adamax: return std::make_unique<Adamax>(spec);
    default: return std::make_unique<NAdam>(spec);
  }
}

}  // namespace forerun::autograd
