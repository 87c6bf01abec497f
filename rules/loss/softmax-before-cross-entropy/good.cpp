#include <torch/torch.h>

torch::Tensor raw_scores(torch::nn::Linear fc, torch::Tensor x, torch::Tensor y) {
  return torch::nn::functional::cross_entropy(fc->forward(x), y);
}

torch::Tensor soft_targets(torch::nn::Linear student, torch::nn::Linear teacher, torch::Tensor x) {
  return torch::nn::functional::cross_entropy(student->forward(x), torch::softmax(teacher->forward(x), 1));
}

torch::Tensor its_own_loss(torch::nn::Linear fc, torch::Tensor x, torch::Tensor y) {
  return torch::nll_loss(torch::log_softmax(fc->forward(x), 1), y);
}

torch::Tensor attention_inside(torch::nn::Linear out, torch::Tensor q, torch::Tensor v, torch::Tensor y) {
  return torch::nn::functional::cross_entropy(out->forward(torch::matmul(torch::softmax(q, -1), v)), y);
}
