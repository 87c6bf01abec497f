// The model of a spec as Python's nn.Sequential would hold and run it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/Tensor.h>

#include "core/spec.h"
#include "verifier/run/torch_catalog.h"

namespace forerun::run {

class Network {
 public:
  // Constructs the layers on the CPU in order, so that random initialisation draws as Python's
  // does.
  static Result<Network> build(const Spec& spec);

  // What nn.Module.to does: one parameter or buffer at a time, each module's own in the order of
  // registration; only floating-point tensors change dtype.
  void to(at::Device device);
  void to(at::ScalarType dtype);

  // nn.Sequential rebinds one name: each intermediate is dropped as soon as the next exists. The
  // caller keeps `input`, as whoever wrote model(data) does.
  at::Tensor forward(const at::Tensor& input) const;

  std::vector<at::Tensor> parameters() const;  // in order of registration
  std::int64_t parameter_count() const;
  std::int64_t parameters_bytes() const;

 private:
  explicit Network(Modules modules) : modules_(std::move(modules)) {}
  Modules modules_;
};

}  // namespace forerun::run
