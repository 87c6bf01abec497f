#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void reduced_by_hand(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, c10d::ProcessGroup& group,
                     int every) {
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second) / every;
    loss.backward();
    for (auto& p : net->parameters()) {
      std::vector<torch::Tensor> grads = {p.grad()};
      group.allreduce(grads)->wait();  // expect: ddp-sync-every-microstep
      p.grad().div_(group.getSize());
    }
    if ((i + 1) % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void all_at_once(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                 const c10::intrusive_ptr<c10d::ProcessGroup>& group, int steps, int every) {
  for (int step = 0; step < steps; ++step) {
    opt.zero_grad();
    for (int k = 0; k < every; ++k) {
      (torch::mse_loss(net->forward(batches[k].first), batches[k].second) / every).backward();
      std::vector<torch::Tensor> grads;
      for (auto& p : net->parameters()) grads.push_back(p.grad());
      group->allreduce(grads)->wait();  // expect: ddp-sync-every-microstep
    }
    opt.step();
  }
}
