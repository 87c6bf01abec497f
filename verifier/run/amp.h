// Mixed precision as torch.autocast and torch.amp.GradScaler (2.11) do it; LibTorch's C++ frontend
// has neither.
#pragma once

#include <optional>
#include <vector>

#include <ATen/Tensor.h>

#include "verifier/run/optimizers.h"

namespace forerun::run {

// `with torch.autocast(device_type, dtype):`; the cache of cast weights is dropped at the end of
// the block. Without a dtype it does nothing.
class Autocast {
 public:
  Autocast(at::DeviceType device, std::optional<at::ScalarType> dtype);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool active_;
  bool was_enabled_ = false;
  bool was_caching_ = false;
  at::ScalarType was_dtype_ = at::ScalarType::Undefined;
};

// GradScaler(device, enabled=...) with its default constants: 65536, growth 2 after 2000 good
// steps, backoff 0.5. Disabled it passes everything through, as Python's does.
class GradScaler {
 public:
  explicit GradScaler(bool enabled) : enabled_(enabled) {}

  at::Tensor scale(const at::Tensor& loss);
  void unscale(const std::vector<at::Tensor>& parameters);
  void step(Optimizer& optimizer, const std::vector<at::Tensor>& parameters);
  void update();

 private:
  // Divides the gradients by 1 / inv_scale in place and returns found_inf: 1 where any was not
  // finite.
  at::Tensor check_and_unscale(const std::vector<at::Tensor>& parameters,
                               const at::Tensor& inv_scale);
  void step_fused(Optimizer& optimizer, const std::vector<at::Tensor>& parameters);

  bool enabled_;
  at::Tensor scale_, growth_tracker_;  // on the loss's device, made at first use
  at::Tensor found_inf_;               // of this iteration; undefined until unscaled
  bool unscaled_ = false;
};

}  // namespace forerun::run
