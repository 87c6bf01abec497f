#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void before_backward(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    auto loss = torch::mse_loss(net->forward(x), y);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

void the_critics_gradients_of_the_generators_loss(torch::nn::Linear gen, torch::nn::Linear critic, torch::optim::Adam& opt_g,
                                                  torch::optim::Adam& opt_c, const std::vector<torch::Tensor>& reals) {
  for (const auto& real : reals) {
    auto fake = gen->forward(torch::randn_like(real));
    opt_g.zero_grad();
    critic->forward(fake).mean().backward();
    opt_c.zero_grad();
    opt_g.step();
    critic->forward(fake.detach()).mean().backward();
    opt_c.step();
  }
}
