#include <torch/torch.h>

#include <utility>

void fit(torch::nn::Linear net, torch::optim::Optimizer& opt) {
  auto data = torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(std::move(data), 64);
  for (auto& batch : *loader) {
    opt.zero_grad();
    torch::mse_loss(net->forward(batch.data), batch.target).backward();
    opt.step();
  }
}
