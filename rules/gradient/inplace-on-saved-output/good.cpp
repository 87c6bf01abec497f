#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(int64_t width) { fc = register_module("fc", torch::nn::Linear(width, width)); }
  torch::Tensor forward(torch::Tensor x) {
    auto out = fc->forward(x);
    out += x;
    return torch::relu(out);
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Block);

torch::Tensor nothing_is_saved(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  auto out = torch::sigmoid(net->forward(x));
  return out.mul_(255);
}
