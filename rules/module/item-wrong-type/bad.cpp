#include <torch/torch.h>

double a_loss(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  auto loss = torch::mse_loss(net->forward(x), y);
  return loss.item<int>();  // expect: item-wrong-type
}

int a_mean(torch::Tensor x) {
  auto mean = x.mean();
  return mean.item<int64_t>();  // expect: item-wrong-type
}

float a_probability(torch::Tensor scores) {
  return torch::softmax(scores, 0)[0].item<long>();  // expect: item-wrong-type
}
