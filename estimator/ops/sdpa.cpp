#include "estimator/ops/sdpa.h"

#include "estimator/ops/define_operator.h"
#include "estimator/ops/pointwise.h"

namespace forerun::ops {
namespace {

// convert_boolean_attn_mask: where(mask, 0, -inf), both numbers tensors on the device.
Tensor in_floating_point(Runtime& run, const Tensor& mask, DType dtype) {
  if (!mask || mask.dtype != DType::Bool) return mask;
  const Tensor zero = run.output({}, dtype, "0 of the mask");
  const Tensor infinity = run.output({}, dtype, "-inf of the mask");
  return elementwise(run, "where", {&mask}, dtype, "attention mask");
}

}  // namespace

Tensor sdpa(Runtime& run, const Tensor& q_in, const Tensor& k_in, const Tensor& v_in,
            const Tensor& mask_in, const SdpaWith& with) {
  // Arguments are cast last to first, as the compiler that built PyTorch evaluates them.
  const bool casts_mask = mask_in && is_floating(mask_in.dtype);
  const Tensor given = casts_mask ? run.cast_low(mask_in) : mask_in;
  const Tensor v = run.cast_low(v_in);
  const Tensor k = run.cast_low(k_in);
  const Tensor q = run.cast_low(q_in);
  const bool trains = run.grad_enabled && (q.requires_grad() || k.requires_grad() ||
                                           v.requires_grad() || given.requires_grad());
  const SdpaBackend backend =
      sdpa_backend(run.device, {q, k, v, given, with.dropout, with.causal, trains});
  Tensor mask = in_floating_point(run, given, q.dtype);
  if (backend == SdpaBackend::Efficient)
    mask = sdpa_aligned_mask(run, {q, k, v, mask, with.dropout, with.causal, trains});
  const SdpaCall call{q, k, v, mask, with.dropout, with.causal, trains};
  switch (backend) {
    case SdpaBackend::Cudnn: return sdpa_cudnn(run, call);
    case SdpaBackend::Flash: return sdpa_flash(run, call);
    case SdpaBackend::Efficient: return sdpa_efficient(run, call);
    case SdpaBackend::Math: return sdpa_math(run, call);
  }
  return {};
}

FORERUN_OPERATOR(kScaledDotProductAttention, "scaled_dot_product_attention",
                 {sdpa(run, in[0], in[1], in[2], in.size() > 3 ? in[3] : Tensor{},
                       {with.p, with.causal})});

}  // namespace forerun::ops
