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

void never_set(torch::nn::Linear net, Data data, torch::optim::Optimizer& opt, c10d::ProcessGroup& group, int epochs) {
  const size_t size = data.size().value();
  torch::data::samplers::DistributedRandomSampler sampler(size, group.getSize(), group.getRank(), /*allow_duplicates=*/false);  // expect: sampler-epoch-not-set
  auto loader = torch::data::make_data_loader(data, sampler, torch::data::DataLoaderOptions(64));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (auto& batch : *loader) {
      opt.zero_grad();
      torch::mse_loss(net->forward(batch.data), batch.target).backward();
      reduce(net, group);
      opt.step();
    }
  }
}

// The loader was given a copy.
void set_too_late(torch::nn::Linear net, Data data, torch::optim::Optimizer& opt, c10d::ProcessGroup& group, int epochs) {
  torch::data::samplers::DistributedRandomSampler sampler(60000, group.getSize(), group.getRank());  // expect: sampler-epoch-not-set
  auto loader = torch::data::make_data_loader(data, sampler, torch::data::DataLoaderOptions(64));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    sampler.set_epoch(epoch);
    for (auto& batch : *loader) {
      opt.zero_grad();
      torch::mse_loss(net->forward(batch.data), batch.target).backward();
      reduce(net, group);
      opt.step();
    }
  }
}
