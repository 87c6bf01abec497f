#include <torch/torch.h>

// What comes from outside has no known type, and a difference of boxes is hardly ever whole.
float box_error(torch::Tensor predicted, torch::Tensor wanted, torch::Tensor mask) {
  auto error = torch::abs((wanted - predicted) * mask).sum();
  return error.data().item<int>();  // expect-not-yet: item-wrong-type — the element type of parameters is not known
}
