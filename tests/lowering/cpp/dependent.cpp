#include <torch/torch.h>

#include <list>

// Never instantiated: names are all there is.
template <class Net, class Loader>
void train(Net& net, Loader& loader, torch::optim::Optimizer& optimizer) {
  for (auto& batch : loader) {
    optimizer.zero_grad();
    auto output = net.forward(batch.data);
    auto loss = torch::nll_loss(output, batch.target);
    loss.backward();
    optimizer.step();
  }
}

template <class T>
class Stack {
 public:
  void push(T value) { values_.push_back(value); }
  T pop() {
    T last = values_.back();
    values_.pop_back();
    return last;
  }

 private:
  std::vector<T> values_;
};

// Instantiated twice, lowered once.
template <class Loader>
double evaluate(torch::nn::Sequential& net, Loader& loader) {
  double total = 0;
  for (auto& batch : loader) total += net->forward(batch.data).sum().template item<double>();
  return total;
}

void use(torch::nn::Sequential net, std::vector<torch::data::Example<>> a, std::list<torch::data::Example<>> b) {
  Stack<torch::Tensor> stack;
  stack.push(torch::zeros({1}));
  evaluate(net, a);
  evaluate(net, b);
}
