#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Data = torch::data::datasets::MapDataset<torch::data::datasets::MNIST, torch::data::transforms::Stack<>>;

void reduce(const torch::nn::Linear& net, c10d::ProcessGroup& group) {
  for (auto& p : net->parameters()) {
    std::vector<torch::Tensor> grads = {p.grad()};
    group.allreduce(grads)->wait();
    p.grad().div_(group.getSize());
  }
}

// A data set of the program that is told which process it is for.
class Part : public torch::data::datasets::Dataset<Part> {
 public:
  Part(int rank, int size);
  torch::data::Example<> get(size_t index) override;
  std::optional<size_t> size() const override;
};

void a_part_for_each(torch::nn::Linear net, torch::optim::Optimizer& opt, c10d::ProcessGroup& group, int epochs) {
  const int rank = group.getRank();
  auto data = Part(rank, group.getSize()).map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader(std::move(data), torch::data::DataLoaderOptions(64).workers(2));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (auto& batch : *loader) {
      opt.zero_grad();
      torch::mse_loss(net->forward(batch.data), batch.target).backward();
      reduce(net, group);
      opt.step();
    }
  }
}
