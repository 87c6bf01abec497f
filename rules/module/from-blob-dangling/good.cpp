#include <torch/torch.h>

#include <vector>

torch::Tensor cloned() {
  std::vector<float> values(3);
  return torch::from_blob(values.data(), {3}, torch::kFloat32).clone();
}

torch::Tensor cloned_later() {
  std::vector<float> values(3);
  auto t = torch::from_blob(values.data(), {3});
  t = t.clone();
  return t;
}

torch::Tensor moved_to_a_device() {
  std::vector<float> values(3);
  return torch::from_blob(values.data(), {3}).to(torch::kCUDA);
}

torch::Tensor used_here() {
  std::vector<float> values = {1, 2, 3};
  auto t = torch::from_blob(values.data(), {3});
  return t.sum();
}

torch::Tensor the_callers_buffer(std::vector<float>& values) { return torch::from_blob(values.data(), {3}); }

torch::Tensor with_a_deleter() {
  auto* values = new std::vector<float>(3);
  return torch::from_blob(values->data(), {3}, [values](void*) { delete values; });
}

class Holder {
 public:
  torch::Tensor view() { return torch::from_blob(values_.data(), {3}); }

 private:
  std::vector<float> values_ = {1, 2, 3};
};
