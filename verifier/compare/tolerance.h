// How far a prediction may be from the measurement, and why.
//
// Parameters: 0. Their count and bytes are arithmetic on the spec.
//
// Peak allocated, peak reserved and end allocated bytes: 0, on a CUDA device and on the emulated
// one alike. All three are integers kept by PyTorch's caching allocator, which is deterministic:
// the same requests in the same order give the same blocks and segments. Nothing measured here is a
// clock or a sample, so there is no noise for a tolerance to absorb; a difference of one block is
// an operator, a lifetime or a library's workspace that the estimator has wrong.
//
// Someone who plans capacity rather than checks the estimator may accept more: --tolerance 0.01 is
// 1 % of the measured value for every row about memory over time. The parameters' rows stay exact.
#pragma once

namespace forerun::compare {

inline constexpr double kParameters = 0;
inline constexpr double kStepMemory = 0;

}  // namespace forerun::compare
