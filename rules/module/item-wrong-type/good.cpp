#include <torch/torch.h>

double a_loss(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  return torch::mse_loss(net->forward(x), y).item<double>();
}

int64_t an_index(torch::Tensor scores) { return scores.argmax(0).item<int64_t>(); }

int a_count(torch::Tensor predicted, torch::Tensor target) { return predicted.eq(target).sum().item<int>(); }

int not_known(torch::Tensor label) { return label.item<int>(); }

int rounded_on_purpose(torch::Tensor x) { return x.mean().round().to(torch::kInt64).item<int>(); }

int64_t next_token(torch::nn::Linear net, torch::Tensor x) {
  auto logits = net->forward(x);
  return std::get<1>(logits.max(-1, true)).item<int64_t>();
}

// Below a whole number or not: what is behind the point does not matter.
torch::Tensor grown(torch::Tensor y) {
  while (y.data().norm().item<int>() < 1000) y = y * 2;
  return y;
}
