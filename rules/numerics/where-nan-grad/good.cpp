#include <torch/torch.h>

torch::Tensor root(torch::Tensor x) {
  auto inside = torch::where(x > 0, x, torch::ones_like(x));
  return torch::where(x > 0, torch::sqrt(inside), torch::zeros_like(x));
}

torch::Tensor without_gradients(torch::Tensor x) {
  torch::NoGradGuard no_grad;
  return torch::where(x > 0, torch::sqrt(x), torch::zeros_like(x));
}
