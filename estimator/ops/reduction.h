// The scratch a CUDA reduction takes when several blocks work on one output
// (aten/src/ATen/native/cuda/Reduce.cuh, 2.11: setReduceConfig, gpu_reduce_kernel). It depends on
// the number of multiprocessors, and for sums over the outer dimension it is far larger than the
// result: the bias gradient of a [65536, 1024] layer takes 132 MiB.
#pragma once

#include <cstdint>
#include <vector>

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// A contiguous [outer, inner] tensor reduced over one of its two dimensions; a full reduction is
// {1, n} over Inner. Over Ends: [outer, middle, inner] reduced to [middle], as a bias gradient of
// channels is. Over Middle: [outer, middle, inner] reduced to [outer, inner].
struct Reduction {
  enum class Over { Outer, Inner, Ends, Middle };
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  Over over = Over::Inner;
  DType dtype = DType::Float32;  // of the input and the output
  DType output = DType::Float32;
  int input_vector = 4;  // elements a thread loads at once along a contiguous reduction
  std::int64_t middle = 1;
};

struct ReductionScratch {
  std::int64_t buffer_bytes = 0;  // partial results; 0: one block an output, no scratch at all
  std::int64_t semaphore_bytes = 0;
};

// What one launch takes. The launches of a tensor too large for 32-bit offsets are listed one by
// one, in the order they run; accumulator_bytes is what holds their partial results meanwhile
// (16-bit outputs only).
struct ReductionPlan {
  std::vector<ReductionScratch> launches;
  std::int64_t accumulator_bytes = 0;
};
ReductionPlan plan(const Reduction& reduction, const devices::Device& device);

// Allocates and frees the scratch in order and records the launches.
void reduce(Runtime& run, std::string_view kernel, const Reduction& reduction);

}  // namespace forerun::ops
