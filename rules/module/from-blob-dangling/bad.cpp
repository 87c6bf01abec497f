#include <torch/torch.h>

#include <utility>
#include <vector>

torch::Tensor returned() {
  std::vector<float> values(3);
  return torch::from_blob(values.data(), {3}, torch::kFloat32);  // expect: from-blob-dangling
}

torch::Tensor through_a_view() {
  std::vector<float> values = {1, 2, 3, 4};
  auto t = torch::from_blob(values.data(), {4});  // expect: from-blob-dangling
  return t.view({2, 2});
}

torch::Tensor an_array() {
  float raw[3] = {1, 2, 3};
  auto t = torch::from_blob(raw, {3});  // expect: from-blob-dangling
  return t;
}

std::pair<torch::Tensor, int> in_a_pair() {
  std::vector<float> values = {1, 2};
  auto t = torch::from_blob(&values[0], {2});  // expect: from-blob-dangling
  return {t, 1};
}

class Buffer {
 public:
  void add() {
    std::vector<float> row(4);
    auto t = torch::from_blob(row.data(), {4});  // expect: from-blob-dangling
    rows_.push_back(t);
  }

  void set() {
    std::vector<float> row(4);
    last_ = torch::from_blob(row.data(), {4});  // expect: from-blob-dangling
  }

 private:
  std::vector<torch::Tensor> rows_;
  torch::Tensor last_;
};
