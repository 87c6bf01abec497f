#include <torch/torch.h>

struct InitialisedImpl : torch::nn::Module {
  InitialisedImpl() : fc(8, 8), act(torch::nn::ReLUOptions()) {
    register_module("fc", fc);
    out = register_module("out", torch::nn::Linear(8, 2));
    scale = register_parameter("scale", torch::ones({1}));
    mean = register_buffer("mean", torch::zeros({8}));
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(8, 8), torch::nn::ReLU()));
  }
  torch::Tensor forward(torch::Tensor x) { return out->forward(act->forward(fc->forward(x - mean)) * scale); }
  torch::nn::Linear fc, out{nullptr};
  torch::nn::ReLU act;
  torch::nn::Sequential body{nullptr};
  torch::Tensor scale, mean;
};
TORCH_MODULE(Initialised);

struct InASequentialImpl : torch::nn::Module {
  InASequentialImpl() : one(4, 4), two(4, 4), seq(one, two) { register_module("seq", seq); }
  torch::Tensor forward(torch::Tensor x) { return seq->forward(x); }
  torch::nn::Linear one, two;
  torch::nn::Sequential seq;
};
TORCH_MODULE(InASequential);

struct ResetImpl : torch::nn::Cloneable<ResetImpl> {
  ResetImpl() { reset(); }
  void reset() override { fc = register_module("fc", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Reset);

// No module: the optimizer is given each network by hand.
struct Agent {
  torch::nn::Linear actor{4, 2}, critic{4, 1};
};

// Defined in another file, where its constructor registers them.
struct ElsewhereImpl : torch::nn::Module {
  ElsewhereImpl() {}
  ElsewhereImpl(int64_t width);
  torch::Tensor forward(torch::Tensor x);
  Initialised one, two;
};

// Nothing to train, to move or to save.
struct AddCoordinatesImpl : torch::nn::Module {
  explicit AddCoordinatesImpl(bool radius) : radius(radius) {}
  torch::Tensor forward(torch::Tensor x) { return radius ? x + x.norm() : x; }
  bool radius;
};
TORCH_MODULE(AddCoordinates);

struct CoordConvImpl : torch::nn::Module {
  CoordConvImpl() : add(AddCoordinates(true)) { conv = register_module("conv", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return conv->forward(add->forward(x)); }
  AddCoordinates add;
  torch::nn::Linear conv{nullptr};
};
TORCH_MODULE(CoordConv);
