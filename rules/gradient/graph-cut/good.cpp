#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void a_distilled_target(torch::nn::Linear teacher, torch::nn::Linear student, torch::Tensor x, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  auto target = teacher->forward(x).detach();
  torch::mse_loss(student->forward(x), target).backward();
  opt.step();
}

void a_temperature(torch::nn::Linear policy, const std::vector<torch::Tensor>& states) {
  auto log_alpha = torch::zeros({1}, torch::requires_grad());
  torch::optim::Adam opt({log_alpha}, torch::optim::AdamOptions(1e-3));
  for (const auto& state : states) {
    opt.zero_grad();
    auto loss = -(log_alpha * policy->forward(state).detach()).mean();
    loss.backward();
    opt.step();
  }
}
