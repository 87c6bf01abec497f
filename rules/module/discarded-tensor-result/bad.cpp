#include <torch/torch.h>

torch::Tensor moved(torch::Tensor x, torch::Device device) {
  x.to(device);  // expect: discarded-tensor-result
  return x;
}

void a_comma(torch::Tensor x, torch::Tensor y, torch::Device device) {
  x.to(device), y.to(device);  // expect: discarded-tensor-result, discarded-tensor-result
}

torch::Tensor a_type(torch::Tensor labels) {
  labels.to(torch::kLong);  // expect: discarded-tensor-result
  labels.unsqueeze(0);  // expect: discarded-tensor-result
  return labels;
}

torch::Tensor still_attached(torch::nn::Linear net, torch::Tensor x) {
  auto out = net->forward(x).mean();
  out.detach();  // expect: discarded-tensor-result
  return out;
}
