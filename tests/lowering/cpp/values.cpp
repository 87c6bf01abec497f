#include <torch/torch.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

namespace F = torch::nn::functional;
using torch::indexing::None;
using torch::indexing::Slice;

const double kRate = 1e-3;

struct Sample {
  torch::Tensor data;
  std::optional<torch::Tensor> weight;
  int64_t id = 0;
};

std::tuple<torch::Tensor, torch::Tensor> halves(const torch::Tensor& x) {
  auto parts = x.chunk(2, /*dim=*/1);
  return {parts[0], parts[1]};
}

void values(torch::Tensor x, Sample sample, std::shared_ptr<torch::nn::LinearImpl> layer) {
  auto a = x.index({Slice(0, 2), None, 1});
  x.index_put_({0, Slice()}, 0.5f);
  x[0][1] = 3;
  x[0] += a;
  auto [left, right] = halves(x);
  torch::Tensor best, where;
  std::tie(best, where) = x.max(1);
  std::vector<std::pair<torch::Tensor, int>> log;
  log.emplace_back(best, 3);
  log.push_back({where, 4});
  if (sample.weight.has_value()) x = x * sample.weight.value();
  if (sample.weight) x = x * *sample.weight;
  auto size = x.sizes()[0];
  auto options = torch::TensorOptions().dtype(torch::kFloat64).device(torch::kCUDA, 1);
  auto z = torch::zeros({2, 3}, options);
  auto ones = torch::ones({2}, torch::dtype(torch::kHalf).requires_grad(true));
  auto copied = z.clone().detach();
  auto cross = F::cross_entropy(x, where, F::CrossEntropyFuncOptions().ignore_index(-1).reduction(torch::kSum));
  auto nll = torch::nll_loss(x, where, {}, at::Reduction::Sum);
  auto flat = torch::flatten(x, 1).view({-1, 4 * 4});
  torch::nn::init::xavier_uniform_(layer->weight);
  layer->weight.mutable_grad() /= 2.0;
  x.set_requires_grad(true);
  std::ofstream file("log.txt");
  file << size << "\n";
  std::ostringstream text;
  text << "loss " << cross.item<float>();
  auto start = std::chrono::high_resolution_clock::now();
  auto seconds = std::chrono::duration<double>(std::chrono::high_resolution_clock::now() - start).count();
  std::cout << "took " << seconds << " s" << std::endl;
  auto ptr = std::make_shared<Sample>();
  ptr->id++;
  delete new Sample{x};
  (x.to(torch::kCPU), x.detach());
  torch::cuda::synchronize();
  std::function<torch::Tensor(torch::Tensor)> f = [scale = kRate](torch::Tensor t) { return t * scale; };
  f(x);
}
