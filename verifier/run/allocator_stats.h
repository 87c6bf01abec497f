// The CUDA caching allocator's counters, or nothing in a LibTorch without CUDA.
#pragma once

#include "core/report.h"

namespace forerun::run {

// All of device 0. The first two do nothing and the last returns zeros in a build without CUDA;
// callers ask only when they run on CUDA.
void reset_peak_memory();
void empty_cache();
void synchronize();
StepMemory memory_now();  // peaks since the last reset, and what is allocated now

}  // namespace forerun::run
