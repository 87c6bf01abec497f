#include <torch/torch.h>

torch::Tensor a_layer(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear fc(8, 1);
  return torch::mse_loss(fc->forward(x), y.flatten());  // expect: loss-broadcast
}
