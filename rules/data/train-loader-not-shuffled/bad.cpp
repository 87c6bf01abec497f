#include <torch/torch.h>

#include <utility>

void fit(torch::nn::Linear net, torch::optim::Optimizer& opt) {
  auto data = torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(data), 64);  // expect: train-loader-not-shuffled
  for (auto& batch : *loader) {
    opt.zero_grad();
    torch::mse_loss(net->forward(batch.data), batch.target).backward();
    opt.step();
  }
}

using Data = torch::data::datasets::MapDataset<torch::data::datasets::MNIST, torch::data::transforms::Stack<>>;

void for_one_epoch(torch::nn::Linear net, Data data, torch::optim::Optimizer& opt) {
  using torch::data::samplers::SequentialSampler;
  auto loader = torch::data::make_data_loader<SequentialSampler>(data, torch::data::DataLoaderOptions(32).workers(4));  // expect: train-loader-not-shuffled
  for (auto& [x, y] : *loader) {
    opt.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(x), y).backward();
    opt.step();
  }
}
