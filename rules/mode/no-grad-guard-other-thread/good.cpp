#include <torch/torch.h>

#include <thread>

void a_guard_inside(torch::nn::Linear net, torch::Tensor x) {
  std::thread worker([&] {
    torch::NoGradGuard no_grad;
    net->forward(x);
  });
  worker.join();
}

void both(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  auto y = net->forward(x);
  std::thread worker([&] {
    torch::NoGradGuard in_here;
    net->forward(x);
  });
  worker.join();
}
