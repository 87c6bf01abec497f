// Trains a small classifier on synthetic digits with LibTorch. It compiles, runs, and its loss goes down; it also holds
// mistakes that cost memory, time or accuracy and that a reader easily misses. `forerun lint examples/train_mlp.cpp` names
// them; train_mlp_fixed.cpp is the same program without them.
#include <torch/torch.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int64_t kPixels = 784;
constexpr int64_t kHidden = 256;
constexpr int64_t kClasses = 10;
constexpr int64_t kBatch = 128;

struct MlpImpl : torch::nn::Module {
  MlpImpl() {
    fc1 = register_module("fc1", torch::nn::Linear(kPixels, kHidden));
    fc2 = register_module("fc2", torch::nn::Linear(kHidden, kClasses));
  }

  torch::Tensor forward(const torch::Tensor& images) { return fc2(torch::relu(fc1(images))); }

  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(Mlp);

struct Digits {
  torch::Tensor images;  // [n, 784] float32
  torch::Tensor labels;  // [n] int64
};

// One centre a class, and noise around it.
Digits make_digits(int64_t n, const torch::Tensor& centres) {
  const torch::Tensor labels = torch::randint(kClasses, {n}, torch::kInt64);
  return {centres.index_select(0, labels) + torch::randn({n, kPixels}), labels};
}

double accuracy(Mlp& model, const Digits& digits, torch::Device device) {
  const torch::NoGradGuard no_grad;
  model->eval();
  const torch::Tensor predicted = model(digits.images.to(device)).argmax(1).cpu();
  model->train();
  return predicted.eq(digits.labels).to(torch::kFloat32).mean().item<double>();
}

void train(Mlp& model, const Digits& digits, torch::Device device, int epochs) {
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(1e-3));
  std::vector<torch::Tensor> history;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    torch::Tensor epoch_loss = torch::zeros({}, device);
    int64_t correct = 0;
    for (int64_t first = 0; first + kBatch <= digits.labels.size(0); first += kBatch) {
      const torch::Tensor images = digits.images.narrow(0, first, kBatch).to(device);
      const torch::Tensor labels = digits.labels.narrow(0, first, kBatch).to(device);
      const torch::Tensor logits = model(images);
      const torch::Tensor loss = torch::nn::functional::cross_entropy(logits, labels);
      loss.backward();
      optimizer.step();
      epoch_loss += loss;
      history.push_back(loss);
      correct += logits.argmax(1).eq(labels).sum().item<int64_t>();
      std::printf("\repoch %d, image %6ld: loss %.4f", epoch, static_cast<long>(first), loss.item<double>());
    }
    const int64_t steps = digits.labels.size(0) / kBatch;
    std::printf("\repoch %d: mean loss %.4f, accuracy %.3f\n", epoch, epoch_loss.item<double>() / static_cast<double>(steps),
                static_cast<double>(correct) / static_cast<double>(steps * kBatch));
  }
  std::printf("first loss %.4f, last loss %.4f\n", history.front().item<double>(), history.back().item<double>());
}

}  // namespace

int main(int argc, char** argv) {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 3;
  torch::manual_seed(31);
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  const torch::Tensor centres = 0.15 * torch::randn({kClasses, kPixels});
  const Digits training = make_digits(4096, centres), validation = make_digits(1024, centres);
  Mlp model;
  model->to(device);
  train(model, training, device, epochs);
  std::printf("validation accuracy %.3f\n", accuracy(model, validation, device));
}
