#include <torch/torch.h>

#include <string>
#include <vector>

struct StackImpl : torch::nn::Module {
  explicit StackImpl(int64_t depth) {
    for (int64_t i = 0; i < depth; ++i) {
      layers.push_back(register_module("layer" + std::to_string(i), torch::nn::Linear(8, 8)));
    }
    for (int64_t i = 0; i < depth; ++i) {
      torch::nn::Linear more(8, 8);
      register_module("more" + std::to_string(i), more);
      others.push_back(more);
    }
    blocks = register_module("blocks", torch::nn::ModuleList());
    blocks->push_back(torch::nn::Linear(8, 1));
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto& layer : layers) x = layer->forward(x);
    for (auto& layer : others) x = layer->forward(x);
    return x;
  }
  std::vector<torch::nn::Linear> layers, others;
  torch::nn::ModuleList blocks{nullptr};
};
TORCH_MODULE(Stack);

struct Ensemble {
  explicit Ensemble(int n) {
    for (int i = 0; i < n; ++i) nets.push_back(torch::nn::Linear(8, 1));
  }
  std::vector<torch::nn::Linear> nets;
};
