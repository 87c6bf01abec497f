#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl(int64_t inputs, int64_t outputs) {
    fc1 = register_module("fc1", torch::nn::Linear(inputs, 16));
    fc2 = register_module("fc2", torch::nn::Linear(16, outputs));
  }

  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::relu(fc1->forward(x));
    return fc2(h);
  }

  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(Net);

void make(int64_t inputs) {
  Net net(inputs, 10);
  net->train();
  torch::optim::AdamW opt(net->parameters(), torch::optim::AdamWOptions(0.001));
  opt.zero_grad();
}
