// torch/csrc/api/src/optim/{sgd,adam,adamw,adagrad,rmsprop}.cpp (2.11): one parameter after
// another, state made when a parameter is met first, temporaries of a turn gone with it.
#include <fmt/format.h>

#include "estimator/autograd/optimizer_parts.h"

namespace forerun::autograd {
namespace {

using ops::Runtime;
using ops::Tensor;
using ops::Tensors;

class LibTorchLoop final : public Optimizer {
 public:
  explicit LibTorchLoop(const OptimizerSpec& spec) : spec_(spec) {}

  void attach(Runtime& run, const Parameters& parameters) override {
    if (spec_.name != OptimizerKind::Adagrad) return;
    run.tape.refine("optimizer: state");
    for (Parameter* parameter : parameters) state_.push_back(state_like(run, *parameter, "sum"));
    fresh_ = false;
  }

  void step(Runtime& run, const Parameters& parameters) override {
    for (Parameter* parameter : parameters) {
      run.tape.refine(fmt::format("optimizer step: {}", parameter->name));
      turn(run, *parameter);
    }
    fresh_ = false;
  }

 private:
  bool is(OptimizerKind kind) const { return spec_.name == kind; }
  bool decays() const { return spec_.weight_decay != 0 && !is(OptimizerKind::AdamW); }

  void make_state(Runtime& run, const Parameter& parameter) {
    auto add = [&](std::string_view what) {
      state_.push_back(state_like(run, parameter, what));
      launch_one(run, "zeros_like", parameter, 1);
    };
    if (is(OptimizerKind::Adam) || is(OptimizerKind::AdamW)) {
      add("exp_avg");
      add("exp_avg_sq");
      if (spec_.amsgrad) add("max_exp_avg_sq");
    }
    if (!is(OptimizerKind::RmsProp)) return;
    add("square_avg");
    if (spec_.momentum > 0) add("momentum buffer");
    if (spec_.centered) add("grad_avg");
  }

  void turn(Runtime& run, const Parameter& parameter) {
    if (fresh_) make_state(run, parameter);
    Tensor grad;
    bind_gradient(run, parameter, false, decays(), grad);
    if (is(OptimizerKind::Sgd)) {
      sgd(run, parameter, grad);
      return;
    }
    launch_one(run, "addcmul_", parameter, 8);
    const Tensor root = temporary_like(run, parameter, "square root");
    launch_one(run, "sqrt", parameter, 2);
    // sqrt(..) / c is a tensor of its own, beside the root until its statement ends.
    Tensor denominator;
    if (is(OptimizerKind::Adam) || is(OptimizerKind::AdamW)) {
      denominator = temporary_like(run, parameter, "denominator");
      launch_one(run, "div", parameter, 4);
    }
    launch_one(run, "addcdiv_", parameter, 4);
  }

  void sgd(Runtime& run, const Parameter& parameter, Tensor& grad) {
    if (spec_.momentum != 0 && fresh_) {
      state_.push_back(state_like(run, parameter, "momentum buffer"));
      launch_one(run, "clone", parameter, 2);
    } else if (spec_.momentum != 0) {
      launch_one(run, "mul_", parameter, 2);
      launch_one(run, "add_", parameter, 3);
    }
    if (spec_.nesterov) {
      Tensor ahead = temporary_like(run, parameter, "nesterov gradient");
      launch_one(run, "add", parameter, 3);
      grad = std::move(ahead);
    }
    launch_one(run, "add_", parameter, 3);
  }

  const OptimizerSpec spec_;
  Tensors state_;
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<Optimizer> make_libtorch_optimizer(const OptimizerSpec& spec) {
  return std::make_unique<LibTorchLoop>(spec);
}

}  // namespace forerun::autograd
