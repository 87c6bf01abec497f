#include <torch/torch.h>

struct TwiceImpl : torch::nn::Module {
  TwiceImpl() : bn1(8), bn2(8) {
    register_module("bn1", bn1);
    register_module("bn2", bn1);  // expect: wrong-object-registered
  }
  torch::Tensor forward(torch::Tensor x) { return bn2->forward(bn1->forward(x)); }
  torch::nn::BatchNorm1d bn1, bn2;
};
TORCH_MODULE(Twice);

struct AnotherImpl : torch::nn::Module {
  AnotherImpl() {
    register_module("fc", torch::nn::Linear(8, 2));  // expect: wrong-object-registered
    fc = torch::nn::Linear(8, 2);
  }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Another);

struct ReplacedImpl : torch::nn::Module {
  ReplacedImpl(int64_t classes) {
    head = register_module("head", torch::nn::Linear(8, 10));
    head = torch::nn::Linear(8, classes);  // expect: wrong-object-registered
  }
  torch::Tensor forward(torch::Tensor x) { return head->forward(x); }
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Replaced);
