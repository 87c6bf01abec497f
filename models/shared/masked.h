// Attention with a mask, or of queries to another sequence's keys.
#pragma once

#include "models/shared/modules.h"

namespace forerun::models {

// sdpa() of modules.h with a mask, bool or additive, that broadcasts to [batch, heads, queries,
// keys]; it may want a gradient.
Name masked_sdpa(Builder& b, Name q, Name k, Name v, double dropout, const Name& mask);

}  // namespace forerun::models
