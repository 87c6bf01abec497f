// How much the attention kernels work in besides what they give.
#pragma once

#include <cstdint>

#include "estimator/devices/device.h"
#include "estimator/ops/tensor.h"

namespace forerun::ops {

// flash_api.cpp's num_splits_heuristic (2.11): how many ways the keys are divided so that the
// queries fill the device. rows: batch x heads.
struct FlashWork {
  std::int64_t rows, queries, keys, head;
};
std::int64_t flash_splits(const FlashWork& of, const devices::Device& device);
// What flash attention rounds a head to in the float tensors it works in.
std::int64_t flash_rounded(std::int64_t head);

struct EfficientWork {
  std::int64_t rows, queries, keys, head, value_head;
  DType dtype = DType::Float32;
  bool dropout = false;
};
// The workspace of the memory-efficient backward: partial query gradients by tiles with a lock
// each, and where the outputs do not fit in registers, those of keys and values for every split
// (mem_eff_attention/kernel_backward.h and kernels/generate_kernels.py, 2.11).
std::int64_t efficient_workspace_bytes(const EfficientWork& of, const devices::Device& device);
// Whether the memory-efficient forward gathers its output in a float tensor of the same shape.
bool efficient_accumulates(DType dtype, std::int64_t head, std::int64_t value_head);

}  // namespace forerun::ops
