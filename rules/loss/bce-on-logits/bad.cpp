#include <torch/torch.h>

torch::Tensor functional(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear fc(8, 1);
  return torch::binary_cross_entropy(fc->forward(x), y);  // expect: bce-on-logits
}

struct CriticImpl : torch::nn::Module {
  CriticImpl() : fc(8, 1) { register_module("fc", fc); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x).view({-1}); }
  torch::nn::Linear fc;
};
TORCH_MODULE(Critic);

torch::Tensor a_loss_module(Critic critic, torch::Tensor x, torch::Tensor y) {
  torch::nn::BCELoss criterion;
  return criterion(critic->forward(x), y);  // expect: bce-on-logits
}
