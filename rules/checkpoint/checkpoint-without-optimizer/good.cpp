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
    opt.load(archive);
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
    opt.save(archive);
    archive.write("epoch", torch::tensor(epoch));
    archive.save_to(path);
  }
}

void two_files(torch::nn::Linear net, const Batches& batches, int epochs, bool resume) {
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(1e-3));
  if (resume) torch::load(net, "net.pt");
  if (resume) torch::load(opt, "adam.pt");
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
    torch::save(net, "net.pt");
    torch::save(opt, "adam.pt");
  }
}

void only_weights(torch::nn::Linear net, const std::string& path) {
  torch::serialize::OutputArchive archive;
  net->save(archive);
  archive.save_to(path);
}
