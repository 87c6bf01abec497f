#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void gate(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  auto open_part = torch::sigmoid(net->forward(x));
  open_part *= 2;  // expect: inplace-on-saved-output
  torch::mse_loss(open_part, y).backward();
  opt.step();
}

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(int64_t width) { fc = register_module("fc", torch::nn::Linear(width, width)); }
  torch::Tensor forward(torch::Tensor x) {
    auto out = torch::relu(fc->forward(x));
    out += x;  // expect: inplace-on-saved-output
    return out;
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Block);

void a_method(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  auto open_part = torch::sigmoid(net->forward(x));
  open_part.mul_(2);  // expect: inplace-on-saved-output
  torch::mse_loss(open_part, y).backward();
  opt.step();
}
