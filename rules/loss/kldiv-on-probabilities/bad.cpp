#include <torch/torch.h>

torch::Tensor both_probabilities(torch::Tensor student, torch::Tensor teacher) {
  return torch::kl_div(torch::softmax(student, 1), torch::softmax(teacher, 1));  // expect: kldiv-on-probabilities
}

torch::Tensor a_loss_module(torch::Tensor student, torch::Tensor teacher) {
  torch::nn::KLDivLoss kl;
  return kl(student.softmax(-1), teacher.softmax(-1));  // expect: kldiv-on-probabilities
}
