#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

// Neither eval() nor a guard: only the name of the data says what the second loop is for.
void fit(torch::nn::Linear net, const Batches& train_data, const Batches& valid_data, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : train_data) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
  int64_t correct = 0;
  for (const auto& [x, y] : valid_data) {
    auto out = net->forward(x);  // expect-not-yet: eval-without-no-grad — a model that is not put in evaluation mode
    correct += out.argmax(1).eq(y).sum().item<int64_t>();
  }
}
