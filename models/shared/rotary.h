// Rotary positions as Llama and its kin have them.
#pragma once

#include <string>

#include "models/shared/modules.h"

namespace forerun::models {

struct Rotary {
  Name cos, sin;  // [1, length, head]
};

// Its buffers inv_freq and original_inv_freq: 1 / base^(arange(0, dim, 2) / dim). The frequencies
// of every kind of rope have the same shapes.
class RotaryEmbedding {
 public:
  RotaryEmbedding(Builder& b, std::string name, std::int64_t dim);
  // post_init computes them a second time and copies them in.
  void initialise() const;
  Rotary operator()(const Name& x, const Name& positions) const;

 private:
  Name frequencies() const;
  Builder& b_;
  std::string name_;
  std::int64_t dim_;
  Name inv_freq_, original_;
};

// q * cos + rotate_half(q) * sin, and the same for k; [batch, heads, length, head].
void apply_rotary(Name& query, Name& key, const Rotary& rotary);
Name rotate_half(const Name& x);

}  // namespace forerun::models
