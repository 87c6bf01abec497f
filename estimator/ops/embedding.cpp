#include "estimator/ops/embedding.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

// cub::DeviceRadixSort::SortPairs of n int64 keys and values: the other halves of the two double
// buffers, a look-back table of 256 counters a tile of 4,608, and the digit counters.
std::int64_t sort_scratch_bytes(std::int64_t n) {
  constexpr std::int64_t kAlign = 256, kTile = 4608, kCounters = 16'895;
  return 2 * ceil_div(8 * n, kAlign) * kAlign + 1024 * ceil_div(n, kTile) + kCounters;
}
constexpr std::int64_t kScanScratchBytes = 1279;

Tensor take(Runtime& run, std::int64_t count, DType dtype, std::string_view what) {
  return run.empty({count}, dtype, Category::Temporaries, run.where, what);
}

// embedding_backward_cuda_kernel: the sorted gradient is added up per row of the table in segments
// of at most ten indices.
void add_up_sorted(Runtime& run, std::int64_t indices, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kRowsPerThread = 10, kWarp = 32;
  const std::int64_t most_segments = std::min(indices, rows);
  const std::int64_t most_partials = indices / kRowsPerThread + most_segments;
  const Tensor offsets = take(run, indices, DType::Int64, "segment offsets");
  const Tensor count = take(run, 1, DType::Int64, "segment count");
  {
    const Tensor unused = take(run, indices, DType::Int64, "unique indices");
    const Tensor scan = take(run, kScanScratchBytes, DType::UInt8, "scan scratch");
  }
  const Tensor partials = take(run, most_segments, DType::Int64, "partials of a segment");
  const Tensor starts = take(run, most_segments, DType::Int64, "partial starts");
  { const Tensor scan = take(run, kScanScratchBytes, DType::UInt8, "scan scratch"); }
  const Tensor partial_count = take(run, 1, DType::Int64, "partial count");
  const Tensor partial_offsets = take(run, most_partials, DType::Int64, "partial offsets");
  const Tensor sums =
      take(run, most_partials * ceil_div(columns, kWarp) * kWarp, DType::Float32, "partial sums");
  run.launch("compute_grad_weight", {&sums});
}

Tensor weight_gradient(Runtime& run, const Tensor& indices, const Shape& table, DType dtype) {
  const std::int64_t n = indices.elements();
  auto dense = [&] {
    return run.empty(table, dtype, Category::Gradients, run.where, "weight gradient");
  };
  if (n <= kUnsortedIndices) return dense();
  const Tensor sorted = take(run, n, DType::Int64, "sorted indices");
  const Tensor original = take(run, n, DType::Int64, "original positions");
  {
    const Tensor range = take(run, n, DType::Int64, "positions");
    const Tensor scratch = take(run, sort_scratch_bytes(n), DType::UInt8, "sort scratch");
    run.launch("radix_sort_pairs", {&sorted, &original, &range, &scratch});
  }
  Tensor made = dense();
  add_up_sorted(run, n, table[0], table[1]);
  return made;
}

}  // namespace

Tensor embedding(Runtime& run, const Tensor& indices, const Tensor& weight) {
  Shape shape = indices.shape;
  shape.push_back(weight.shape[1]);
  // weight.index_select(0, indices.reshape(-1)): expanded indices are copied, here and in backward.
  const Tensor flat = contiguous(run, indices);
  Tensor y = run.output(std::move(shape), weight.dtype, "output");
  run.launch("embedding", {&indices, &y, &y});
  Node* node = run.record("embedding", y, {&weight},
                          [table = weight.shape, dtype = weight.dtype](Runtime& r, Node& self,
                                                                       Tensors& grad) -> Tensors {
                            Tensors back(1);
                            const Tensor flat = contiguous(r, self.saved[0]);
                            back[0] = weight_gradient(r, flat, table, dtype);
                            r.launch("embedding_dense_backward", {&grad[0], &back[0]});
                            return back;
                          });
  if (node != nullptr) run.keep(*node, indices);
  return y;
}

Tensor arange(Runtime& run, std::int64_t n) {
  Tensor made = run.output({n}, DType::Int64, "positions");
  run.launch("arange", {&made});
  return made;
}

}  // namespace forerun::ops
