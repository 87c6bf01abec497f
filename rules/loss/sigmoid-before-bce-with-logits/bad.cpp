#include <torch/torch.h>

torch::Tensor functional(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  auto p = torch::sigmoid(net->forward(x));
  return torch::binary_cross_entropy_with_logits(p, y);  // expect: sigmoid-before-bce-with-logits
}

torch::Tensor a_loss_module(torch::nn::Linear fc, torch::Tensor x, torch::Tensor y) {
  torch::nn::BCEWithLogitsLoss criterion;
  return criterion(fc->forward(x).sigmoid().squeeze(1), y);  // expect: sigmoid-before-bce-with-logits
}
