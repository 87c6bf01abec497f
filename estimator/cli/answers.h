// The answers of --max-batch, --sweep and --what-if, as text or JSON.
#pragma once

#include <string>

#include "core/result.h"
#include "core/spec.h"
#include "estimator/devices/device.h"

namespace forerun::cli {

struct Answer {
  std::string text;
  bool fits = true;  // something does: one sample, one row, or one of the ways
};

Result<Answer> answer_max_batch(const Spec& spec, const devices::Device& device,
                                const std::string& format);
Result<Answer> answer_sweep(const Spec& spec, const devices::Device& device,
                            const std::string& values, const std::string& format);
Result<Answer> answer_what_if(const Spec& spec, const devices::Device& device,
                              const std::string& format);

}  // namespace forerun::cli
