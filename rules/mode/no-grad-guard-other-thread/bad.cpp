#include <torch/torch.h>

#include <future>
#include <thread>

void a_thread(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  std::thread worker([&] { net->forward(x); });  // expect: no-grad-guard-other-thread
  worker.join();
}

torch::Tensor a_future(torch::nn::Linear net, torch::Tensor x) {
  c10::InferenceMode guard;
  auto result = std::async(std::launch::async, [&] { return net->forward(x); });  // expect: no-grad-guard-other-thread
  return result.get();
}
