#include <torch/torch.h>

torch::Tensor sigmoid_first(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear fc(8, 1);
  return torch::binary_cross_entropy(torch::sigmoid(fc->forward(x)), y);
}

torch::Tensor not_known(torch::Tensor p, torch::Tensor y) {
  torch::nn::BCELoss criterion;
  return criterion(p, y);
}
