#include <torch/torch.h>

torch::Tensor named(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  return net->forward(x);
}

torch::Tensor named_by_auto(torch::nn::Linear net, torch::Tensor x) {
  auto guard = torch::NoGradGuard();
  return net->forward(x);
}

torch::Tensor in_a_block(torch::nn::Linear net, torch::Tensor x) {
  {
    c10::InferenceMode guard;
    x = net->forward(x);
  }
  return x;
}
