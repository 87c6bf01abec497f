#include <torch/torch.h>

struct BlockImpl : torch::nn::Cloneable<BlockImpl> {
  BlockImpl(int64_t width, double p) : width_(width), p_(p) { reset(); }
  void reset() override {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(width_, width_, 3).padding(1).bias(false)));
    norm = register_module("norm", torch::nn::BatchNorm2d(width_));
    scale = register_parameter("scale", torch::ones({1}));
    steps = register_buffer("steps", torch::zeros({1}, torch::kLong));
    layers->push_back(torch::nn::Linear(4, 4));
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(norm(conv(x))) * scale;
    x = torch::dropout(x, p_, is_training());
    for (auto& layer : *layers) x = layer->as<torch::nn::Linear>()->forward(x);
    return x;
  }
  int64_t width_;
  double p_;
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::Tensor scale, steps;
  torch::nn::ModuleList layers;
};
TORCH_MODULE(Block);

class Trainer : public torch::nn::Module {
 public:
  Trainer() : block(8, 0.5), criterion(torch::nn::CrossEntropyLossOptions().label_smoothing(0.1)) {
    block = register_module("block", block);
  }
  void fit(torch::data::DataLoaderOptions options) {
    auto data = torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>());
    auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(data), 64);
    torch::optim::SGD opt(parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
    torch::optim::StepLR scheduler(opt, 30, 0.1);
    for (auto& batch : *loader) {
      auto loss = criterion(block(batch.data), batch.target);
      backward(loss);
      opt.step();
    }
    scheduler.step();
    for (auto& group : opt.param_groups()) {
      static_cast<torch::optim::SGDOptions&>(group.options()).lr(0.01);
    }
    for (auto& p : block->parameters()) p.mutable_grad() = torch::Tensor();
    torch::save(block, "block.pt");
  }

 private:
  void backward(torch::Tensor loss) { loss.backward(); }
  Block block;
  torch::nn::CrossEntropyLoss criterion;
};
