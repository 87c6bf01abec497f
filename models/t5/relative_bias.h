// T5's trained bias by how far a key lies from a query (modeling_t5.py: compute_bias).
#pragma once

#include "models/shared/modules.h"

namespace forerun::models {

// [1, heads, queries, keys]: a row of the table for each of the buckets of distances.
Name relative_bias(Builder& b, const Embedding& table, std::int64_t queries, std::int64_t keys,
                   bool bidirectional);

}  // namespace forerun::models
