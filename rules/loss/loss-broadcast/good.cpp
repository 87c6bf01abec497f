#include <torch/torch.h>

torch::Tensor both_flat(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear fc(8, 1);
  return torch::mse_loss(fc->forward(x).squeeze(-1), y.flatten());
}
