// A trainer in C++ as a user would write it: a data set and a loader, a convolutional network made
// for the device, AdamW with clipping and a schedule, evaluation, a checkpoint written and read.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <sstream>

struct Digits : torch::data::datasets::Dataset<Digits> {
  torch::data::Example<> get(size_t index) override {
    return {torch::full({1, 28, 28}, static_cast<double>(index)),
            torch::tensor(static_cast<int64_t>(index % 10))};
  }
  torch::optional<size_t> size() const override { return 256; }
};

struct NetImpl : torch::nn::Module {
  torch::nn::Conv2d first{torch::nn::Conv2dOptions(1, 16, 3).padding(1)};
  torch::nn::BatchNorm2d norm{16};
  torch::nn::Conv2d second{torch::nn::Conv2dOptions(16, 32, 3).stride(2)};
  torch::nn::Dropout drop{0.25};
  torch::nn::Linear head{32 * 13 * 13, 10};

  NetImpl() {
    register_module("first", first);
    register_module("norm", norm);
    register_module("second", second);
    register_module("drop", drop);
    register_module("head", head);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(norm(first(x)));
    x = torch::relu(second(x)).flatten(1);
    return torch::log_softmax(head(drop(x)), 1);
  }
};
TORCH_MODULE(Net);

int main() {
  if (!torch::cuda::is_available()) {
    std::cerr << "no CUDA device\n";
    return 1;
  }
  const torch::Device device(torch::kCUDA, 0);
  torch::manual_seed(1);
  Net net;
  net->to(device);
  torch::optim::AdamW optimizer(net->parameters(), torch::optim::AdamWOptions(1e-3));
  torch::optim::StepLR schedule(optimizer, 1, 0.5);
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Digits().map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(32).workers(2));
  int64_t steps = 0, correct = 0;
  double last_pixel = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    net->train();
    for (auto& batch : *loader) {
      const torch::Tensor data = batch.data.to(device), target = batch.target.to(device);
      optimizer.zero_grad();
      const torch::Tensor loss = torch::nll_loss(net(data), target);
      loss.backward();
      torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
      optimizer.step();
      last_pixel = data[-1][0][0][0].item<double>();
      ++steps;
    }
    schedule.step();
  }
  net->eval();
  {
    torch::NoGradGuard no_grad;
    for (auto& batch : *loader) {
      const torch::Tensor guess = net(batch.data.to(device)).argmax(1);
      correct += guess.eq(batch.target.to(device)).sum().item<int64_t>();
    }
  }
  std::stringstream kept;
  torch::save(net, kept);
  Net again;
  torch::load(again, kept, device);
  std::printf("%lld steps, last pixel %.0f, correct %lld, parameters read back on %s\n",
              static_cast<long long>(steps), last_pixel, static_cast<long long>(correct),
              again->head->weight.device().str().c_str());
}
