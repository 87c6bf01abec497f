#include <torch/torch.h>

void descend(torch::nn::Sequential net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt, int epochs,
             double tolerance) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    int steps = 0;
    double error = 1.0;
    while (error > tolerance) {
      opt.zero_grad();
      auto loss = torch::l1_loss(net->forward(x), y);
      loss.backward();
      opt.step();
      error = loss.item<double>();
      steps += 1;
      if (steps == 1000) break;
    }
    for (;;) {
      --steps;
      if (steps < 0) break;
    }
  }
}
