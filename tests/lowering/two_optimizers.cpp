#include <torch/torch.h>

void alternate(torch::nn::Sequential& generator, torch::nn::Sequential& critic, torch::optim::Adam& opt_g,
               torch::optim::Adam& opt_c, const std::vector<torch::Tensor>& reals) {
  generator->train();
  critic->train();
  for (const torch::Tensor& real : reals) {
    auto z = torch::randn_like(real);
    auto fake = generator->forward(z);
    opt_c.zero_grad();
    auto loss_c = critic->forward(fake.detach()).mean() - critic->forward(real).mean();
    loss_c.backward();
    opt_c.step();
    opt_g.zero_grad();
    auto loss_g = -critic->forward(generator->forward(z)).mean();
    loss_g.backward();
    opt_g.step();
  }
}
