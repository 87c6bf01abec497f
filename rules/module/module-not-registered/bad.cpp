#include <torch/torch.h>

struct InitialisedImpl : torch::nn::Module {
  InitialisedImpl() : fc(8, 8), drop(0.5) {  // expect: module-not-registered, module-not-registered
  }
  torch::Tensor forward(torch::Tensor x) { return drop->forward(fc->forward(x)); }
  torch::nn::Linear fc;
  torch::nn::Dropout drop;
};
TORCH_MODULE(Initialised);

struct AssignedImpl : torch::nn::Module {
  AssignedImpl(int64_t in, int64_t out) {
    first = register_module("first", torch::nn::Linear(in, 16));
    second = torch::nn::Linear(16, out);  // expect: module-not-registered
  }
  torch::Tensor forward(torch::Tensor x) { return second->forward(torch::relu(first->forward(x))); }
  torch::nn::Linear first{nullptr}, second{nullptr};
};
TORCH_MODULE(Assigned);

struct WeightImpl : torch::nn::Module {
  WeightImpl() {
    weight = torch::randn({4, 4}, torch::requires_grad());  // expect: module-not-registered
    bias = register_parameter("bias", torch::zeros({4}));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::matmul(x, weight) + bias; }
  torch::Tensor weight, bias;
};
TORCH_MODULE(Weight);

class Shared : public torch::nn::Module {
 public:
  Shared() {
    body_ = std::make_shared<torch::nn::LinearImpl>(4, 4);  // expect: module-not-registered
  }
  torch::Tensor forward(torch::Tensor x) { return body_->forward(x); }

 private:
  std::shared_ptr<torch::nn::LinearImpl> body_;
};
