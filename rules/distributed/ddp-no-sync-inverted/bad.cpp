#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void off_by_one(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, c10d::ProcessGroup& group,
                int every) {
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second) / every;
    loss.backward();
    if (i % every == 0) {
      for (auto& p : net->parameters()) {
        std::vector<torch::Tensor> grads = {p.grad()};
        group.allreduce(grads)->wait();  // expect: ddp-no-sync-inverted
      }
    }
    if ((i + 1) % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void in_all_but_the_last(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                         c10d::ProcessGroup& group, int every) {
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second) / every;
    loss.backward();
    const bool last = (i + 1) % every == 0;
    if (!last) {
      std::vector<torch::Tensor> grads;
      for (auto& p : net->parameters()) grads.push_back(p.grad());
      group.allreduce(grads)->wait();  // expect: ddp-no-sync-inverted
    }
    if (last) {
      opt.step();
      opt.zero_grad();
    }
  }
}
