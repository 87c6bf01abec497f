#include "verifier/run/allocator_stats.h"

#if defined(FORERUN_TORCH_CUDA)
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include "verifier/run/run.h"

namespace forerun::run {

#if defined(FORERUN_TORCH_CUDA)

void reset_peak_memory() { c10::cuda::CUDACachingAllocator::resetPeakStats(0); }
void empty_cache() { c10::cuda::CUDACachingAllocator::emptyCache(); }
void synchronize() { c10::cuda::device_synchronize(); }

StepMemory memory_now() {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return {stats.allocated_bytes[kAll].peak, stats.reserved_bytes[kAll].peak,
          stats.allocated_bytes[kAll].current};
}

bool cuda_is_available() { return c10::cuda::device_count() > 0; }

CudaDevice cuda_device() {
  if (!cuda_is_available()) return {};
  const cudaDeviceProp* properties = at::cuda::getDeviceProperties(0);
  return {properties->name, properties->major, properties->minor, properties->multiProcessorCount};
}

#else

void reset_peak_memory() {}
void empty_cache() {}
void synchronize() {}
StepMemory memory_now() { return {}; }
bool cuda_is_available() { return false; }
CudaDevice cuda_device() { return {}; }

#endif

}  // namespace forerun::run
