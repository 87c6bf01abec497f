#include <torch/torch.h>

torch::Tensor by_position(torch::nn::Linear net, torch::Tensor x, torch::Tensor y) {
  auto scores = net->forward(x);
  return torch::nn::functional::cross_entropy(torch::softmax(scores, 1), y);  // expect: softmax-before-cross-entropy
}

torch::Tensor a_method(torch::nn::Linear fc, torch::Tensor x, torch::Tensor y) {
  auto out = fc(x).softmax(1).view({-1, 10});
  return torch::cross_entropy_loss(out, y);  // expect: softmax-before-cross-entropy
}

struct HeadImpl : torch::nn::Module {
  HeadImpl() { fc = register_module("fc", torch::nn::Linear(8, 2)); }
  torch::Tensor forward(torch::Tensor x) { return torch::softmax(fc->forward(x), 1); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Head);

torch::Tensor through_the_model(torch::Tensor x, torch::Tensor y) {
  Head head;
  torch::nn::CrossEntropyLoss criterion;
  return criterion(head->forward(x), y);  // expect: softmax-before-cross-entropy
}

torch::Tensor a_sequential(torch::Tensor x, torch::Tensor y) {
  torch::nn::Sequential seq(torch::nn::Linear(8, 2), torch::nn::Softmax(1));
  return torch::nn::functional::cross_entropy(seq->forward(x), y);  // expect: softmax-before-cross-entropy
}
