#include "estimator/ops/reduction.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/units.h"

namespace forerun::ops {
namespace {

constexpr std::int64_t kMaxThreads = 512;  // mnt_wrapper::MAX_NUM_THREADS
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kMinValuesPerThread = 16;
constexpr std::int64_t kMaxValuesPerThread = 256;
constexpr std::int64_t kAccumulatorBytes = 4;  // float, also for 16-bit inputs
constexpr std::int64_t kSemaphoreBytes = 4;

std::int64_t last_pow2(std::int64_t n) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, n))));
}

// The largest of 4, 2, 1 that divides the contiguous output dimension (get_output_vec_size; the
// base address is a multiple of 512 and the other stride a multiple of this dimension).
std::int64_t output_vector(std::int64_t outputs) {
  std::int64_t vector = 4;
  while (outputs % vector != 0) vector /= 2;
  return vector;
}

struct Block {
  std::int64_t width;
  std::int64_t height;
};

Block block_of(std::int64_t dim0, std::int64_t dim1, std::int64_t vector) {
  const std::int64_t most = kMaxThreads / vector;
  const std::int64_t across = dim0 < most ? last_pow2(dim0) : most;
  const std::int64_t down = dim1 < most ? last_pow2(dim1) : most;
  const std::int64_t height = std::min(down, most / std::min(across, kWarp));
  return {std::min(across, most / height), height};
}

std::int64_t outputs_of(const Reduction& r) {
  switch (r.over) {
    case Reduction::Over::Inner: return r.outer;
    case Reduction::Over::Outer: return r.inner;
    case Reduction::Over::Ends: return r.middle;
    case Reduction::Over::Middle: return r.outer * r.inner;
  }
  return 1;
}

// TensorIterator leaves out dimensions of one element and joins neighbours it can.
Reduction simplify(Reduction r) {
  if (r.over != Reduction::Over::Ends) return r;
  const auto as = [&](std::int64_t outer, std::int64_t inner, Reduction::Over over) {
    r.outer = outer;
    r.inner = inner;
    r.over = over;
    r.middle = 1;
    return r;
  };
  if (r.middle == 1) return as(1, r.outer * r.inner, Reduction::Over::Inner);
  if (r.outer == 1) return as(r.middle, r.inner, Reduction::Over::Inner);
  if (r.inner == 1) return as(r.outer, r.middle, Reduction::Over::Outer);
  return r;
}

ReductionScratch scratch_of(const Reduction& r, const devices::Device& device) {
  // One output: both dimensions coalesce into one contiguous reduction.
  const bool middle = r.over == Reduction::Over::Middle;
  const bool inner = !middle && (r.over != Reduction::Over::Outer || r.inner == 1);
  const std::int64_t outputs = outputs_of(r);
  const std::int64_t inputs = r.outer * r.middle * r.inner / outputs;
  std::int64_t dim0 = inner ? inputs : middle ? r.inner : outputs;
  const std::int64_t dim1 = inner ? outputs : inputs;
  std::int64_t vector = 1;
  const bool one_run = r.over != Reduction::Over::Ends;  // num_reduce_dims() == 1
  if (inner && one_run && dim0 >= 128) dim0 /= r.input_vector;
  if (!inner) {
    vector = output_vector(dim0);
    dim0 /= vector;
  }
  const Block block = block_of(dim0, dim1, vector);

  std::int64_t step_input = inner ? block.width : 1;
  std::int64_t step_output = inner ? 1 : block.width;
  const bool across_warps =
      ceil_div(inputs, step_input) >= std::min(block.height * 16, kMaxValuesPerThread);
  (across_warps ? step_input : step_output) *= block.height;

  const std::int64_t values = ceil_div(inputs, step_input);
  const std::int64_t grid = ceil_div(outputs / vector, step_output);
  const std::int64_t target = device.multiprocessors * (device.max_threads_per_multiprocessor /
                                                        (block.width * block.height));
  if (!across_warps || values < kMaxValuesPerThread || grid > target) return {};
  const std::int64_t blocks =
      std::max(std::min(ceil_div(target, grid), ceil_div(values, kMinValuesPerThread)),
               ceil_div(values, kMaxValuesPerThread));
  if (blocks <= 1) return {};
  std::int64_t bytes = kAccumulatorBytes * outputs * blocks;
  if (!inner) bytes *= block.width * vector;
  return {bytes, kSemaphoreBytes * grid};
}

// TensorIterator::can_use_32bit_indexing
bool fits_32_bits(const Reduction& r) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t elements = r.outer * r.middle * r.inner;
  return elements <= kMost && 1 + (elements - 1) * size_bytes(r.dtype) <= kMost;
}

// TensorIterator::get_dim_to_split and split: halves of the dimension with the largest extent in
// bytes.
void add_launches(const Reduction& r, const devices::Device& device,
                  std::vector<ReductionScratch>& launches) {
  if (fits_32_bits(r)) {
    launches.push_back(scratch_of(r, device));
    return;
  }
  const bool split_outer = (r.outer - 1) * r.middle * r.inner > r.inner - 1;
  Reduction first = r;
  Reduction second = r;
  std::int64_t& first_size = split_outer ? first.outer : first.inner;
  std::int64_t& second_size = split_outer ? second.outer : second.inner;
  const std::int64_t size = first_size;
  first_size = size / 2;
  second_size = size - size / 2;
  add_launches(first, device, launches);
  add_launches(second, device, launches);
}

}  // namespace

ReductionPlan plan(const Reduction& given, const devices::Device& device) {
  const Reduction reduction = simplify(given);
  ReductionPlan made;
  add_launches(reduction, device, made.launches);
  const bool narrow = size_bytes(reduction.output) < kAccumulatorBytes;
  const std::int64_t outputs = outputs_of(reduction);
  if (made.launches.size() > 1 && narrow) made.accumulator_bytes = outputs * kAccumulatorBytes;
  return made;
}

void reduce(Runtime& run, std::string_view kernel, const Reduction& r) {
  const ReductionPlan steps = plan(r, run.device);
  auto take = [&](std::int64_t bytes, std::string_view what) {
    return run.empty({bytes}, DType::UInt8, Category::Temporaries, run.where, what);
  };
  Tensor accumulator;
  if (steps.accumulator_bytes > 0)
    accumulator = take(steps.accumulator_bytes, "reduction accumulator");
  for (const ReductionScratch& scratch : steps.launches) {
    if (scratch.buffer_bytes == 0) continue;
    const Tensor buffer = take(scratch.buffer_bytes, "reduction scratch");
    const Tensor semaphores = take(scratch.semaphore_bytes, "reduction semaphores");
  }
  const double bytes = static_cast<double>(r.outer * r.middle * r.inner * size_bytes(r.dtype));
  for (std::size_t i = 0; i < steps.launches.size(); ++i) {
    run.tape.launch(kernel, DType::Float32, 0, bytes / static_cast<double>(steps.launches.size()));
  }
}

}  // namespace forerun::ops
