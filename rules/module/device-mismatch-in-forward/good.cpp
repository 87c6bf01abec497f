#include <torch/torch.h>

struct NoiseImpl : torch::nn::Module {
  NoiseImpl() { fc = register_module("fc", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 8}, x.options());
    auto more = torch::randn({x.size(0), 8}, torch::TensorOptions().device(x.device()));
    return fc->forward(x) + noise + more + torch::zeros_like(x);
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Noise);

void move(Noise net) { net->to(torch::kCUDA); }

// A tensor without values says that there is no mask.
struct MaskedImpl : torch::nn::Module {
  MaskedImpl() { fc = register_module("fc", torch::nn::Linear(8, 8)); }
  torch::Tensor masked(torch::Tensor x, torch::Tensor mask) { return mask.numel() == 0 ? fc->forward(x) : x * mask; }
  torch::Tensor forward(torch::Tensor x) {
    auto none = torch::empty(0);
    return masked(x, none) + masked(x, torch::empty({0}));
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Masked);
