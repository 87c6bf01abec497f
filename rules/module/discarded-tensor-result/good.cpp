#include <torch/torch.h>

struct Image {
  void to(torch::Device) {}
};

torch::Tensor kept(torch::Tensor x, torch::Device device) {
  x = x.to(device);
  return x;
}

void a_module(torch::nn::Linear net, torch::Device device) { net->to(device); }

void another_type(Image image, torch::Device device) { image.to(device); }

torch::Tensor in_place(torch::Tensor x) {
  x.clamp_(0, 1);
  x.detach_();
  x.unsqueeze_(0);
  return x;
}
