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
    const bool last = (i + 1) % every == 0 || i + 1 == static_cast<int>(batches.size());
    if (last) {
      for (auto& p : net->parameters()) {
        std::vector<torch::Tensor> grads = {p.grad()};
        group.allreduce(grads)->wait();
      }
    }
    if (last) {
      opt.step();
      opt.zero_grad();
    }
  }
}

// Which rounds those are is not known.
void when_it_is_told(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, c10d::ProcessGroup& group,
                     const std::vector<bool>& reduces, int every) {
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second) / every;
    loss.backward();
    if (reduces[i]) {
      std::vector<torch::Tensor> grads;
      for (auto& p : net->parameters()) grads.push_back(p.grad());
      group.allreduce(grads)->wait();
    }
    if ((i + 1) % every == 0 || i + 1 == static_cast<int>(batches.size())) {
      opt.step();
      opt.zero_grad();
    }
  }
}
