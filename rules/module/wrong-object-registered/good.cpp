#include <torch/torch.h>

struct EachItselfImpl : torch::nn::Module {
  EachItselfImpl() : bn1(8), bn2(8) {
    register_module("bn1", bn1);
    register_module("bn2", bn2);
    register_module("shared", bn1);
  }
  torch::Tensor forward(torch::Tensor x) { return bn2->forward(bn1->forward(x)); }
  torch::nn::BatchNorm1d bn1, bn2;
};
TORCH_MODULE(EachItself);

struct OtherNamesImpl : torch::nn::Module {
  OtherNamesImpl() {
    register_module("l1", fc1_);
    fc2_ = register_module("l2", torch::nn::Linear(8, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return fc2_->forward(fc1_->forward(x)); }
  torch::nn::Linear fc1_{8, 8}, fc2_{nullptr};
};
TORCH_MODULE(OtherNames);

struct AgainImpl : torch::nn::Module {
  AgainImpl() { head = register_module("head", torch::nn::Linear(8, 10)); }
  void resize(int64_t classes) {
    head = torch::nn::Linear(8, classes);
    replace_module("head", head);
  }
  torch::Tensor forward(torch::Tensor x) { return head->forward(x); }
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Again);
