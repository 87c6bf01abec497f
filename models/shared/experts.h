// A sparse mixture of experts as transformers 5.24 runs it in bfloat16: a router that picks the top
// k, rows sorted by expert, and products by group (integrations/moe.py, grouped_mm).
#pragma once

#include <string>

#include "models/shared/modules.h"

namespace forerun::models {

struct ExpertSizes {
  std::int64_t width = 0, inner = 0, experts = 0, chosen = 0;
  std::string act;
};

class Experts {
 public:
  Experts() = default;
  Experts(Builder& b, std::string name, ExpertSizes sizes);
  Name operator()(const Name& x) const;  // [batch, length, width]

 private:
  struct Routed {
    Name scores, indices, logits;  // the block holds all three until it returns
  };
  Routed route(const Name& rows) const;
  Name run(const Name& rows, const Routed& routed) const;

  std::string name_;
  ExpertSizes sizes_;
  Name router_, gate_up_, down_;
};

}  // namespace forerun::models
