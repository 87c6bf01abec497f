#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Data = torch::data::datasets::MapDataset<torch::data::datasets::MNIST, torch::data::transforms::Stack<>>;

void reduce(const torch::nn::Linear& net, c10d::ProcessGroup& group) {
  for (auto& p : net->parameters()) {
    std::vector<torch::Tensor> grads = {p.grad()};
    group.allreduce(grads)->wait();
    p.grad().div_(group.getSize());
  }
}

void every_process_reads_all(torch::nn::Linear net, Data data, torch::optim::Optimizer& opt, c10d::ProcessGroup& group, int epochs) {
  auto loader = torch::data::make_data_loader(data, torch::data::DataLoaderOptions(64).workers(2));  // expect: distributed-sampler-missing
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (auto& batch : *loader) {
      opt.zero_grad();
      torch::mse_loss(net->forward(batch.data), batch.target).backward();
      reduce(net, group);
      opt.step();
    }
  }
}
