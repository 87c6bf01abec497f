#include "verifier/run/training.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/huber_loss.h>
#include <ATen/ops/l1_loss.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/smooth_l1_loss.h>
#include <ATen/ops/zeros.h>

#include "verifier/run/tensors.h"

namespace forerun::run {
namespace {

// A model that is bfloat16 throughout takes bfloat16 inputs; targets keep the dtype of the spec.
DType input_dtype(const Spec& spec) {
  const bool halved = spec.precision == Precision::Bf16 && spec.input.dtype == DType::Float32;
  return halved ? DType::BFloat16 : spec.input.dtype;
}

Shape with_batch(const Spec& spec, const Shape& sample) {
  Shape shape{spec.batch_size};
  shape.insert(shape.end(), sample.begin(), sample.end());
  return shape;
}

at::Tensor zeros_on(at::Device device, const Shape& shape, DType dtype) {
  return at::zeros(shape, at::TensorOptions().dtype(scalar_type(dtype)).device(device));
}

// torch.nn.functional's losses with reduction "mean" and the operators they come down to.
at::Tensor criterion(const Spec& spec, const at::Tensor& logits, const at::Tensor& target) {
  if (spec.loss == LossKind::CrossEntropy) {
    return at::cross_entropy_loss(logits, target, {}, at::Reduction::Mean, /*ignore_index=*/-100,
                                  spec.label_smoothing);
  }
  if (spec.loss == LossKind::BceWithLogits)
    return at::binary_cross_entropy_with_logits(logits, target);
  if (spec.loss == LossKind::Nll) return at::nll_loss(logits, target);
  const std::vector<at::Tensor> expanded = at::broadcast_tensors({logits, target});
  if (spec.loss == LossKind::L1) return at::l1_loss(expanded[0], expanded[1]);
  if (spec.loss == LossKind::SmoothL1) return at::smooth_l1_loss(expanded[0], expanded[1]);
  if (spec.loss == LossKind::Huber) return at::huber_loss(expanded[0], expanded[1]);
  if (spec.loss == LossKind::Mse) return at::mse_loss(expanded[0], expanded[1]);
  return {};
}

}  // namespace

Batch Batch::make(const Spec& spec, at::Device device) {
  Batch batch{zeros_on(device, with_batch(spec, spec.input.shape), input_dtype(spec)),
              zeros_on(device, with_batch(spec, spec.target.shape), spec.target.dtype)};
  // Class indices are given to the loss as one list, whatever the shape of a sample's.
  if (spec.target.dtype == DType::Int64) batch.target = batch.target.reshape(-1);
  return batch;
}

bool same_batch(const Spec& a, const Spec& b) {
  return a.batch_size == b.batch_size && a.input.shape == b.input.shape &&
         input_dtype(a) == input_dtype(b) && a.target.shape == b.target.shape &&
         a.target.dtype == b.target.dtype;
}

Result<Training> Training::start(const Spec& spec, at::Device device) {
  auto network = Network::build(spec);
  if (!network) return network.error();
  if (spec.precision == Precision::Bf16) network->to(at::kBFloat16);
  network->to(device);
  return Training(spec, device, *std::move(network));
}

Training::Training(const Spec& spec, at::Device device, Network network)
    : spec_(&spec),
      device_(device),
      network_(std::move(network)),
      parameters_(network_.parameters()),
      optimizer_(make_optimizer(spec.optimizer, spec.framework.frontend, parameters_)),
      scaler_(spec.precision == Precision::Fp16Mixed) {}

// criterion(model(x), y): the logits are dropped when the loss exists.
at::Tensor Training::loss_of(const Batch& batch) const {
  return criterion(*spec_, network_.forward(batch.input), batch.target);
}

// `loss` is Python's name: the loss of the micro-batch before is alive until the new one is bound
// to it.
void Training::micro_step(const Batch& batch, at::Tensor& loss) {
  {
    std::optional<at::ScalarType> low;
    if (const auto dtype = autocast_dtype(spec_->precision)) low = scalar_type(*dtype);
    const Autocast autocast(device_.type(), low);
    loss = loss_of(batch);
  }
  if (spec_->gradient_accumulation_steps > 1) loss = loss / spec_->gradient_accumulation_steps;
  scaler_.scale(loss).backward();
}

void Training::step(const Batch& batch) {
  at::Tensor loss;
  for (std::int64_t i = 0; i < spec_->gradient_accumulation_steps; ++i) micro_step(batch, loss);
  if (spec_->clip_norm) {
    scaler_.unscale(parameters_);
    clip_grad_norm(parameters_, *spec_->clip_norm, spec_->framework.frontend);
  }
  scaler_.step(*optimizer_, parameters_);
  scaler_.update();
  zero_grad(parameters_);
}

}  // namespace forerun::run
