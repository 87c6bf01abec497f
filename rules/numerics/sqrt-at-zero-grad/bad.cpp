#include <torch/torch.h>

torch::Tensor of_a_relu(torch::Tensor x) {
  return torch::sqrt(torch::relu(x));  // expect: sqrt-at-zero-grad
}

torch::Tensor pairwise(torch::Tensor x) {
  auto difference = x.unsqueeze(0) - x.unsqueeze(1);
  return difference.pow(2).sum(-1).sqrt();  // expect: sqrt-at-zero-grad
}
