#include <torch/torch.h>

torch::Tensor parentheses(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard();  // expect: no-grad-guard-unnamed
  return net->forward(x);
}

torch::Tensor braces(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard{};  // expect: no-grad-guard-unnamed
  return net->forward(x);
}

torch::Tensor inference(torch::nn::Linear net, torch::Tensor x) {
  c10::InferenceMode();  // expect: no-grad-guard-unnamed
  return net->forward(x);
}
