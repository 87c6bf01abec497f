#include "estimator/ops/sdpa_choice.h"

#include <algorithm>

#include "estimator/ops/strides.h"

namespace forerun::ops {
namespace {

constexpr std::int64_t kMostFlashHead = 256;

std::int64_t head_of(const Tensor& x) { return x.shape.back(); }
bool is_half(DType dtype) { return size_bytes(dtype) == 2; }

// 9.0, 10.0 and 10.3, with the cuDNN that PyTorch 2.11 comes with.
bool prefers_cudnn(const devices::Device& device) {
  const bool major = device.compute_major == 9 || device.compute_major == 10;
  return major && (device.compute_minor == 0 || device.compute_minor == 3);
}

// Heads of keys and values that queries share; a head each is always taken.
bool heads_fit(const SdpaCall& call, bool grouped) {
  const std::int64_t queries = call.q.shape[1], keys = call.k.shape[1], values = call.v.shape[1];
  if (queries == keys && queries == values) return true;
  return grouped && keys == values && queries % keys == 0;
}

bool last_dimensions_are_dense(const SdpaCall& call) {
  auto dense = [](const Tensor& x) { return !x || strides_of(x).back() == 1; };
  return dense(call.q) && dense(call.k) && dense(call.v);
}

bool cudnn_takes(const devices::Device& device, const SdpaCall& call) {
  if (!prefers_cudnn(device) || !is_half(call.q.dtype)) return false;
  if (call.mask && call.mask.requires_grad()) return false;
  const std::int64_t most = device.compute_major == 9 ? 256 : 128;
  for (const Tensor* one : {&call.q, &call.v})
    if (head_of(*one) % 8 != 0 || head_of(*one) > most) return false;
  if (call.k.shape[2] == 1 || (call.dropout > 0 && call.q.shape[2] == 1)) return false;
  return last_dimensions_are_dense(call) && heads_fit(call, true);
}

// check_requires_grad_and_head_dim_gt192_constraints_on_sm86_89_or_120
bool flash_trains(const devices::Device& device, const SdpaCall& call) {
  const bool small =
      (device.compute_major == 8 && device.compute_minor >= 6) || device.compute_major == 12;
  if (!small || !call.trains) return true;
  const std::int64_t head = head_of(call.q);
  return head <= 192 || (call.dropout == 0 && head > 224);
}

bool flash_takes(const devices::Device& device, const SdpaCall& call) {
  if (device.compute_major < 8 || !is_half(call.q.dtype) || call.mask) return false;
  const std::int64_t head = head_of(call.q);
  if (head != head_of(call.k) || head != head_of(call.v) || head > kMostFlashHead) return false;
  if (!flash_trains(device, call)) return false;
  if (call.causal && call.q.shape[2] != call.k.shape[2]) return false;
  return last_dimensions_are_dense(call) && heads_fit(call, true);
}

// minimum_gemm_alignment
std::int64_t head_alignment(const devices::Device& device, DType dtype) {
  const bool tensor_cores =
      device.compute_major >= 8 || (device.compute_major == 7 && is_half(dtype));
  const std::int64_t least = device.compute_major >= 8 ? 4 : 1;
  return tensor_cores ? std::max<std::int64_t>(least, 16 / size_bytes(dtype)) : least;
}

bool efficient_takes(const devices::Device& device, const SdpaCall& call) {
  if (call.q.dtype == DType::BFloat16 && device.compute_major < 8) return false;
  if (call.q.dtype != DType::Float32 && !is_half(call.q.dtype)) return false;
  const std::int64_t alignment = head_alignment(device, call.q.dtype);
  if (head_of(call.q) != head_of(call.k)) return false;
  if (head_of(call.q) % alignment != 0 || head_of(call.v) % alignment != 0) return false;
  if (call.mask && strides_of(call.mask).back() != 1) return false;
  return last_dimensions_are_dense(call) && heads_fit(call, false);
}

}  // namespace

SdpaBackend sdpa_backend(const devices::Device& device, const SdpaCall& call) {
  if (cudnn_takes(device, call)) return SdpaBackend::Cudnn;
  if (flash_takes(device, call)) return SdpaBackend::Flash;
  if (efficient_takes(device, call)) return SdpaBackend::Efficient;
  return SdpaBackend::Math;
}

}  // namespace forerun::ops
