// Convolutions over [batch, channels, ...] on CUDA through cuDNN
// (aten/src/ATen/native/Convolution.cpp and cudnn/ConvShared.cpp, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

struct Convolution {
  Shape output;             // [batch, out, ...]
  std::int64_t groups = 1;  // depthwise ones run PyTorch's own kernels, with the same memory
  bool transposed = false;
};

// x [batch, in, ...] with contiguous channels (NCHW), bias [out] or undefined. weight [out,
// in / groups, ...kernel], or [in, out / groups, ...kernel] when transposed. Autocast runs it in
// the low precision. Keeps the input and the weight, as cast. The size of cuDNN's workspace only
// cuDNN knows: it is left out, and said (Tape::note).
//
// FLOPs: 2 * output elements * in / groups * kernel elements (transposed: of the input), and the
// same again for each gradient.
Tensor convolution(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias,
                   const Convolution& what);

// Convolutions and batch norms index tensors of 2^31 elements and more in other ways, which were
// not compared with PyTorch: said where it happens.
void note_if_large(Runtime& run, const Tensor& x);

}  // namespace forerun::ops
