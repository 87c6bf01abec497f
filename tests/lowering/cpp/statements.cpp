#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>

enum class Mode { kTrain, kTest };

// A switch with a shared case, a fall-through and a default.
int chain(int kind) {
  int cost = 0;
  switch (kind) {
    case 0:
    case 1:
      cost = 1;
      break;
    case 2:
      cost = 2;
    default:
      cost += 10;
  }
  return cost;
}

template <bool kScaled>
torch::Tensor pick(torch::Tensor x) {
  if constexpr (kScaled) {
    return x * 2;
  } else {
    return x;
  }
}

void statements(std::vector<torch::Tensor> xs, std::map<std::string, torch::Tensor>& named, torch::Device device) {
  for (auto it = xs.begin(); it != xs.end(); ++it) it->detach_();
  for (size_t i = 0; i < xs.size(); i += 2) {
    if (i == 4) continue;
    xs[i] = xs.at(i) + 1;
  }
  for (int i = 10; i > 0; --i) std::printf("%d\n", i);
  for (auto& [name, value] : named) value = value.to(device, /*non_blocking=*/true);
  int left = 3;
  do {
    left--;
  } while (left > 0);
  try {
    throw std::runtime_error("no");
  } catch (const std::exception& e) {
    std::cerr << "failed: " << e.what() << '\n';
  } catch (...) {
    throw;
  }
  auto both = pick<true>(xs.front());
  if (auto found = named.find("x"); found != named.end()) both = found->second;
  const auto mode = device.is_cuda() ? Mode::kTrain : Mode::kTest;
  if (mode == Mode::kTest && left != 0) std::exit(1);
}

void guards(torch::nn::Sequential net, torch::Tensor x, bool grad) {
  torch::NoGradGuard();
  {
    torch::AutoGradMode mode(grad);
    net->forward(x);
  }
  c10::InferenceMode inference;
  net->train(false);
  std::cout << net->forward(x);
}
