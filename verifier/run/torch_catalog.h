// The layers the verifier can build: one layers/<kind>/torch.h a kind, gathered by
// cmake/Catalog.cmake.
//
// A torch.h defines, in namespace forerun::layers::<kind>,
//   inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend frontend);
// whose forward calls the very operators that torch.nn's Python module (Frontend::PyTorch) or
// torch::nn's C++ module (Frontend::LibTorch) calls: the two differ (nn.Linear is at::linear in
// Python, addmm of a transposed view in C++), and what autocast casts and autograd saves differs
// with them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/Tensor.h>
#include <torch/nn/module.h>

#include "core/spec.h"

namespace forerun::run {

// One step of a sequence. `forward` must not keep its argument or its result: lifetimes decide the
// peak.
struct Module {
  std::shared_ptr<torch::nn::Module> holder;  // parameters and buffers; null when there are none
  std::function<at::Tensor(const at::Tensor&)> forward;
};

// A layer becomes one module, or several that join the enclosing sequence one by one (repeat).
using Modules = std::vector<Module>;

struct TorchLayer {
  std::string_view kind;
  Result<Modules> (*make_module)(const LayerSpec& layer, Framework::Frontend frontend);
};

std::span<const TorchLayer> torch_catalog();  // sorted by kind

// Modules of a list of layers in order, what a container calls for its inner layers. Errors: a kind
// without a torch.h, or a layer's own, with its place.
Result<Modules> make_modules(const std::vector<LayerSpec>& layers, Framework::Frontend frontend);

// For a torch.h: a layer without parameters, and one with.
inline Modules stateless(std::function<at::Tensor(const at::Tensor&)> forward) {
  return {Module{nullptr, std::move(forward)}};
}
template <class M, class Forward>
Modules with_state(std::shared_ptr<M> module, Forward forward) {
  return {Module{module,
                 [module, forward](const at::Tensor& input) { return forward(*module, input); }}};
}

}  // namespace forerun::run
