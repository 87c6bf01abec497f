#include "verifier/run/network.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace forerun::run {
namespace {

const TorchLayer* find_layer(const std::string& kind) {
  for (const TorchLayer& layer : torch_catalog()) {
    if (layer.kind == kind) return &layer;
  }
  return nullptr;
}

std::string known_kinds() {
  std::string list;
  for (const TorchLayer& layer : torch_catalog()) {
    if (!list.empty()) list += ", ";
    list += layer.kind;
  }
  return list;
}

// Children first, then the module's own parameters and buffers: the order of
// torch/nn/modules/module.py (2.11), which decides in which order device blocks are taken.
template <class Convert>
void convert_each(torch::nn::Module& module, const Convert& convert) {
  const at::NoGradGuard no_grad;
  for (const auto& child : module.children()) convert_each(*child, convert);
  for (at::Tensor& parameter : module.parameters(/*recurse=*/false))
    parameter.set_data(convert(parameter));
  for (at::Tensor& buffer : module.buffers(/*recurse=*/false)) buffer.set_data(convert(buffer));
}

}  // namespace

Result<Modules> make_modules(const std::vector<LayerSpec>& layers, Framework::Frontend frontend) {
  Modules all;
  for (const LayerSpec& spec : layers) {
    const TorchLayer* layer = find_layer(spec.kind);
    if (layer == nullptr) {
      return error_at(spec.at, "layer '" + spec.kind + "' cannot be run by the verifier yet",
                      "one of: " + known_kinds());
    }
    auto made = layer->make_module(spec, frontend);
    if (!made) return made.error();
    std::ranges::move(*made, std::back_inserter(all));
  }
  return all;
}

Result<Network> Network::build(const Spec& spec) {
  auto modules = make_modules(spec.model, spec.framework.frontend);
  if (!modules) return modules.error();
  return Network(*std::move(modules));
}

void Network::to(at::Device device) {
  for (const Module& module : modules_) {
    if (!module.holder) continue;
    convert_each(*module.holder, [device](const at::Tensor& tensor) { return tensor.to(device); });
  }
}

void Network::to(at::ScalarType dtype) {
  for (const Module& module : modules_) {
    if (!module.holder) continue;
    convert_each(*module.holder, [dtype](const at::Tensor& tensor) {
      return tensor.is_floating_point() ? tensor.to(dtype) : tensor;
    });
  }
}

at::Tensor Network::forward(const at::Tensor& input) const {
  at::Tensor current = input;
  for (const Module& module : modules_) current = module.forward(current);
  return current;
}

std::vector<at::Tensor> Network::parameters() const {
  std::vector<at::Tensor> all;
  for (const Module& module : modules_) {
    if (module.holder) std::ranges::move(module.holder->parameters(), std::back_inserter(all));
  }
  return all;
}

std::int64_t Network::parameter_count() const {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

std::int64_t Network::parameters_bytes() const {
  std::int64_t bytes = 0;
  for (const at::Tensor& parameter : parameters())
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  return bytes;
}

}  // namespace forerun::run
