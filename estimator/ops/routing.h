// What a mixture of experts needs besides: choosing, sorting, rows by index, products by group.
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

// x; attributes: shape {k}. Values and int64 indices of the k largest of the last dimension.
extern const Operator kTopK;
// int64 keys, one dimension: sorted keys, and where each was.
extern const Operator kSort;
// x, indices: x[indices] by the first dimension; backward adds up with index_put_'s sort.
extern const Operator kIndexRows;
// x [rows, in], weight [groups, out, in], offsets: each group of rows times its own matrix
// (torch._grouped_mm with the weight transposed).
extern const Operator kGroupedMm;
// a /= b: in place; what a was is kept as a copy for b's gradient.
extern const Operator kDivInPlace;
// x; attributes: shape {bins}: an int32 histogram and its cumulative sums
extern const Operator kOffsets;

}  // namespace forerun::ops
