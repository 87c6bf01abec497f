#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void one_critic_for_both(torch::nn::Linear gen, torch::nn::Linear critic, torch::optim::Adam& opt_g, torch::optim::Adam& opt_c,
                         const std::vector<torch::Tensor>& reals) {
  for (const auto& real : reals) {
    auto fake = gen->forward(torch::randn_like(real));
    opt_c.zero_grad();
    auto loss_c = (critic->forward(fake.detach()) - critic->forward(real)).mean();
    loss_c.backward();
    opt_c.step();

    opt_g.zero_grad();
    auto loss_g = critic->forward(fake.detach()).mean().neg();  // expect: detach-stops-generator
    loss_g.backward();
    opt_g.step();
  }
}
