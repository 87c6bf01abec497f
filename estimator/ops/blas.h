// Matrix products and the workspaces cuBLAS and cublasLt keep in PyTorch's allocator
// (aten/src/ATen/cuda/CublasHandlePool.cpp and CUDABlas.cpp, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// getChosenWorkspaceSize: 32 MiB on compute capability 9.0, ":4096:2:16:8" = 8,519,680 bytes
// elsewhere.
std::int64_t cublas_workspace_bytes(const devices::Device& device);
// CUBLASLT_WORKSPACE_SIZE's default, kept per handle since 2.9.
inline constexpr std::int64_t kCublasLtWorkspaceBytes = 1 << 20;

// Makes sure the thread's cuBLAS workspace is there; every product asks for it after its result was
// allocated.
void use_cublas(Runtime& run);
// The same, and cublasLt's own after it.
void use_cublaslt(Runtime& run);

// y = x w^T + b, x [..., in], w [out, in], b [out] or undefined; what F.linear does with 2-D and
// contiguous n-D inputs.
Tensor linear(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);

// What torch::nn::Linear does: addmm(b, x, w.t()) with two dimensions and a bias, otherwise a
// product with w.t() and the bias added in place.
Tensor linear_of_libtorch(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace forerun::ops
