// What torchvision's families share: which names are theirs, modules of images, the model's start.
#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "estimator/graph/builder.h"
#include "models/shared/modules.h"

namespace forerun::models {

// The model is made in fp32 as torchvision.models.get_model(name) makes it, and converted to the
// precision. Checks the input, [batch, 3, height, width] in floating point, and refuses what no
// family models. False: an error came.
bool begin_vision(Builder& b, const Spec& spec, const Name& input);

// The names of a family's table of architectures, for its Model.
template <class Architectures>
std::vector<std::string> names_of(const Architectures& known) {
  std::vector<std::string> all;
  for (const auto& one : known) all.emplace_back(one.name);
  return all;
}

// How a kernel slides; the same in both directions.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
  bool bias = false;
};

struct Conv2d {
  std::string name;
  Name weight, bias;
  Window window;
  Conv2d() = default;
  Conv2d(Builder& b, std::string called, std::int64_t in, std::int64_t out, Window slides);
  Name operator()(Name x) const;
};

struct BatchNorm2d {
  std::string name;
  Name weight, bias;
  BatchNorm2d() = default;
  BatchNorm2d(Builder& b, std::string called, std::int64_t channels);
  Name operator()(Name x) const;
};

// A module without parameters in an nn.Sequential: its name, and what it does.
enum class Act { None, Relu, Relu6, Silu, Hardswish };
Name activate_in_place(Act act, Name x);

// torchvision.ops.misc.Conv2dNormActivation with a batch norm: padding (kernel - 1) / 2, no bias.
struct ConvNormAct {
  std::string name;
  Conv2d conv;
  BatchNorm2d norm;
  Act act = Act::None;
  ConvNormAct() = default;
  ConvNormAct(Builder& b, std::string called, std::int64_t in, std::int64_t out, Window slides,
              Act with);
  Name operator()(const Name& x) const;
};

Name add_in_place(Name to, Name what);  // to += what
Name max_pool(Name x, Window slides);
Name adaptive_avg_pool(Name x, std::int64_t size);
Name flatten(Name x);  // torch.flatten(x, 1)
Name dropout_in_place(Name x, double p);
// The same on a view of another tensor, which backward goes through (CopySlices).
Name dropout_in_place_of_view(Name x, double p);
// torchvision.ops.stochastic_depth in training, by rows: noise of [batch, 1, ...] that x is
// multiplied by.
Name stochastic_depth(Name x, double p);

// _make_divisible of models/_utils.py, by 8: at least that, and at most 10 % less than asked.
std::int64_t make_divisible(double channels);

// torchvision.ops.misc.SqueezeExcitation; its own activation, in place or not, is the caller's.
struct SqueezeExcitation {
  std::string name;
  Conv2d fc1, fc2;
  SqueezeExcitation() = default;
  SqueezeExcitation(Builder& b, std::string called, std::int64_t channels, std::int64_t squeezed);
  Name operator()(const Name& x, Name (*activation)(Name), Name (*scale_activation)(Name)) const;
};

}  // namespace forerun::models
