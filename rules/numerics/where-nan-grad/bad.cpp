#include <torch/torch.h>

torch::Tensor root(torch::Tensor x) {
  return torch::where(x > 0, torch::sqrt(x), torch::zeros_like(x));  // expect: where-nan-grad
}

torch::Tensor logarithm(torch::Tensor p) {
  return torch::where(p > 0, p.log(), torch::zeros_like(p)).sum();  // expect: where-nan-grad
}
