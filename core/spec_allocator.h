// The spec's `allocator:`: PYTORCH_CUDA_ALLOC_CONF's text, or its keys as a mapping. Internal to
// the spec reader.
#pragma once

#include <string>

#include "core/allocator_options.h"
#include "core/yaml.h"

namespace forerun {

// "expandable_segments:True", or {expandable_segments: true, roundup_power2_divisions: {256: 1,
// ">": 4}}. Errors: as parse_allocator_options', placed at the word or value.
Result<AllocatorOptions> read_allocator(const YAML::Node& node, const std::string& path);

}  // namespace forerun
