#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void in_the_round_that_steps(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                             c10d::ProcessGroup& group, int every) {
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second) / every;
    loss.backward();
    if ((i + 1) % every != 0 && i + 1 != static_cast<int>(batches.size())) continue;
    for (auto& p : net->parameters()) {
      std::vector<torch::Tensor> grads = {p.grad()};
      group.allreduce(grads)->wait();
      p.grad().div_(group.getSize());
    }
    opt.step();
    opt.zero_grad();
  }
}

void without_accumulation(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                          c10d::ProcessGroup& group) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    for (auto& p : net->parameters()) {
      std::vector<torch::Tensor> grads = {p.grad()};
      group.allreduce(grads)->wait();
    }
    opt.step();
  }
}

// The losses are reduced, to be shown.
void what_is_no_gradient(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                         c10d::ProcessGroup& group, int every) {
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second) / every;
    loss.backward();
    std::vector<torch::Tensor> shown = {loss.detach()};
    group.allreduce(shown)->wait();
    if ((i + 1) % every == 0 || i + 1 == static_cast<int>(batches.size())) {
      opt.step();
      opt.zero_grad();
    }
  }
}
