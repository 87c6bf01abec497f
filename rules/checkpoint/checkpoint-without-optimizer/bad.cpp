#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void in_an_archive(torch::nn::Linear net, const Batches& batches, int epochs, const std::string& path, bool resume) {
  torch::optim::AdamW opt(net->parameters(), torch::optim::AdamWOptions(1e-3));
  int start = 0;
  if (resume) {
    torch::serialize::InputArchive archive;
    archive.load_from(path);
    net->load(archive);
    torch::Tensor epoch;
    archive.read("epoch", epoch);
    start = epoch.item<int>() + 1;
  }
  for (int epoch = start; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
    torch::serialize::OutputArchive archive;
    net->save(archive);
    archive.write("epoch", torch::tensor(epoch));
    archive.save_to(path);  // expect: checkpoint-without-optimizer
  }
}

void the_same_file_again(torch::nn::Linear net, const Batches& batches, int epochs, bool resume) {
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(1e-3));
  if (resume) torch::load(net, "net.pt");
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
    torch::save(net, "net.pt");  // expect: checkpoint-without-optimizer
  }
}
