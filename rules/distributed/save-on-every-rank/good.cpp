#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void reduce(const torch::nn::Linear& net, c10d::ProcessGroup& group) {
  for (auto& p : net->parameters()) {
    std::vector<torch::Tensor> grads = {p.grad()};
    group.allreduce(grads)->wait();
    p.grad().div_(group.getSize());
  }
}

void by_the_first(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, c10d::ProcessGroup& group) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    reduce(net, group);
    opt.step();
  }
  if (group.getRank() == 0) torch::save(net, "net.pt");
}

void left_early(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, c10d::ProcessGroup& group) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    reduce(net, group);
    opt.step();
  }
  const int rank = group.getRank();
  if (rank != 0) return;
  torch::save(net, "net.pt");
}

void a_file_each(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, c10d::ProcessGroup& group) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    reduce(net, group);
    opt.step();
  }
  torch::save(net, "net-" + std::to_string(group.getRank()) + ".pt");
}
