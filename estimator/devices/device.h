// A GPU's numbers, from one JSON file a GPU in this folder; the emulator answers CUDA's questions
// from the same file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace forerun::devices {

struct Device {
  std::string name;         // the file's name: "h100-sxm-80gb"
  std::string vendor_name;  // what cudaDeviceProp.name says: "NVIDIA H100 80GB HBM3"
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  std::int64_t shared_memory_per_multiprocessor_bytes = 0;
  std::int64_t shared_memory_per_block_optin_bytes = 0;
  std::int64_t l2_cache_bytes = 0;
  std::int64_t total_memory_bytes = 0;  // what cudaMemGetInfo reports as total
  std::int64_t context_bytes = 0;       // in use beyond PyTorch once a CUDA context exists
  std::int64_t memory_bandwidth_bytes_per_s = 0;
  // Dense peak FLOP/s by arithmetic: "fp32", "tf32", "fp16", "bf16", "fp8"; an absent key is
  // unknown, not zero.
  std::map<std::string, double> peak_flops_per_s;
  std::map<std::string, std::string> sources;  // field -> where its number comes from

  std::int64_t usable_bytes() const { return total_memory_bytes - context_bytes; }
};

// One of the embedded profiles, or a file of the user's own: a name that ends in .json is read as a
// path. Errors: unknown name (names the nearest known one, "accepted" lists the known ones); a file
// that cannot be read or is not a profile, with file, line and column of the field.
Result<Device> find(const std::string& name);
std::vector<std::string> names();  // sorted

// Reads one profile; Device::name is the path's file name without .json. Every field of Device
// above is required, an unknown peak is left out of peak_flops_per_s, and every field has an entry
// in `sources`.
Result<Device> parse(const std::string& json, const std::string& path);

}  // namespace forerun::devices
