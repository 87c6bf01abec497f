// EfficientNet B0 to B7 and V2 (torchvision 0.26, models/efficientnet.py).
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "estimator/graph/functional.h"
#include "estimator/graph/model_catalog.h"
#include "models/shared/vision.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Stage {
  bool fused;
  std::int64_t expand, kernel, stride, in, out;
  int times;
};

struct Architecture {
  std::string name;
  double dropout;
  std::vector<Stage> stages;
  std::int64_t last;  // channels before the classifier
};

Architecture first_generation(std::string name, double width, double depth, double dropout) {
  std::vector<Stage> stages = {
      {false, 1, 3, 1, 32, 16, 1},   {false, 6, 3, 2, 16, 24, 2},  {false, 6, 5, 2, 24, 40, 2},
      {false, 6, 3, 2, 40, 80, 3},   {false, 6, 5, 1, 80, 112, 3}, {false, 6, 5, 2, 112, 192, 4},
      {false, 6, 3, 1, 192, 320, 1},
  };
  for (Stage& one : stages) {
    one.in = make_divisible(static_cast<double>(one.in) * width);
    one.out = make_divisible(static_cast<double>(one.out) * width);
    one.times = static_cast<int>(std::ceil(one.times * depth));
  }
  const std::int64_t last = 4 * stages.back().out;
  return {std::move(name), dropout, std::move(stages), last};
}

const std::vector<Architecture>& known() {
  static const std::vector<Architecture> all = {
      first_generation("efficientnet_b0", 1.0, 1.0, 0.2),
      first_generation("efficientnet_b1", 1.0, 1.1, 0.2),
      first_generation("efficientnet_b2", 1.1, 1.2, 0.3),
      first_generation("efficientnet_b3", 1.2, 1.4, 0.3),
      first_generation("efficientnet_b4", 1.4, 1.8, 0.4),
      first_generation("efficientnet_b5", 1.6, 2.2, 0.4),
      first_generation("efficientnet_b6", 1.8, 2.6, 0.5),
      first_generation("efficientnet_b7", 2.0, 3.1, 0.5),
      {"efficientnet_v2_s",
       0.2,
       {{true, 1, 3, 1, 24, 24, 2},
        {true, 4, 3, 2, 24, 48, 4},
        {true, 4, 3, 2, 48, 64, 4},
        {false, 4, 3, 2, 64, 128, 6},
        {false, 6, 3, 1, 128, 160, 9},
        {false, 6, 3, 2, 160, 256, 15}},
       1280},
      {"efficientnet_v2_m",
       0.3,
       {{true, 1, 3, 1, 24, 24, 3},
        {true, 4, 3, 2, 24, 48, 5},
        {true, 4, 3, 2, 48, 80, 5},
        {false, 4, 3, 2, 80, 160, 7},
        {false, 6, 3, 1, 160, 176, 14},
        {false, 6, 3, 2, 176, 304, 18},
        {false, 6, 3, 1, 304, 512, 5}},
       1280},
      {"efficientnet_v2_l",
       0.4,
       {{true, 1, 3, 1, 32, 32, 4},
        {true, 4, 3, 2, 32, 64, 7},
        {true, 4, 3, 2, 64, 96, 7},
        {false, 4, 3, 2, 96, 192, 10},
        {false, 6, 3, 1, 192, 224, 19},
        {false, 6, 3, 2, 224, 384, 25},
        {false, 6, 3, 1, 384, 640, 7}},
       1280},
  };
  return all;
}

const Architecture* find(const ModelSource& source) {
  if (source.kind != ModelSource::Kind::Torchvision) return nullptr;
  const auto found = std::find_if(known().begin(), known().end(),
                                  [&](const Architecture& one) { return one.name == source.name; });
  return found == known().end() ? nullptr : &*found;
}

Name silu_in_place(Name x) { return activate_in_place(Act::Silu, std::move(x)); }

// MBConv or FusedMBConv.
class Block {
 public:
  Block(Builder& b, std::string name, const Stage& s, double drop)
      : b_(b), name_(std::move(name)), residual_(s.stride == 1 && s.in == s.out), drop_(drop) {
    const Builder::Scope scope(b, name_ + ".block");
    const std::int64_t wide = make_divisible(static_cast<double>(s.in * s.expand));
    if (s.fused) {
      const bool expands = wide != s.in;
      add(s.in, expands ? wide : s.out, {.kernel = s.kernel, .stride = s.stride}, Act::Silu);
      if (expands) add(wide, s.out, {}, Act::None);
      return;
    }
    if (wide != s.in) add(s.in, wide, {}, Act::Silu);
    add(wide, wide, {.kernel = s.kernel, .stride = s.stride, .groups = wide}, Act::Silu);
    squeeze_at_ = convs_.size();
    squeeze_ = {b, std::to_string(squeeze_at_), wide, std::max<std::int64_t>(1, s.in / 4)};
    convs_.emplace_back(b, std::to_string(squeeze_at_ + 1), wide, s.out, Window{}, Act::None);
  }

  Name operator()(const Name& x) const {
    const Builder::Scope scope(b_, name_);
    Name result = inner(x);
    if (!residual_) return result;
    result = stochastic_depth(std::move(result), drop_);
    return add_in_place(std::move(result), x);
  }

 private:
  void add(std::int64_t in, std::int64_t out, Window window, Act act) {
    convs_.emplace_back(b_, std::to_string(convs_.size()), in, out, window, act);
  }
  Name inner(const Name& x) const {
    const Builder::Scope scope(b_, "block");
    Name y = x;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      if (i == squeeze_at_ && i > 0) y = squeeze_(y, silu_in_place, fn::sigmoid);
      y = convs_[i](y);
    }
    return y;
  }

  Builder& b_;
  std::string name_;
  bool residual_;
  double drop_;
  std::vector<ConvNormAct> convs_;
  SqueezeExcitation squeeze_;
  std::size_t squeeze_at_ = 0;  // it comes before that convolution; 0: there is none
};

std::vector<std::vector<Block>> make_stages(Builder& b, const std::vector<Stage>& stages) {
  int total = 0;
  for (const Stage& one : stages) total += one.times;
  std::vector<std::vector<Block>> made;
  int id = 0;
  for (const Stage& one : stages) {
    const Builder::Scope scope(b, std::to_string(made.size() + 1));
    std::vector<Block> blocks;
    Stage next = one;
    for (int i = 0; i < one.times; ++i) {
      blocks.emplace_back(b, std::to_string(i), next, 0.2 * id++ / total);
      next.in = next.out;
      next.stride = 1;
    }
    made.push_back(std::move(blocks));
  }
  return made;
}

Name run_stage(const std::vector<Block>& stage, const Name& x) {
  Name y = x;
  for (const Block& block : stage) y = block(y);
  return y;
}

Name build(Builder& b, const Spec& spec, Name input) {
  if (!begin_vision(b, spec, input)) return {};
  const Architecture& a = *find(*spec.source);
  auto features = std::make_unique<Builder::Scope>(b, "features");
  const ConvNormAct first(b, "0", 3, a.stages[0].in, {.kernel = 3, .stride = 2}, Act::Silu);
  const auto stages = make_stages(b, a.stages);
  const ConvNormAct last(b, std::to_string(stages.size() + 1), a.stages.back().out, a.last, {},
                         Act::Silu);
  features.reset();
  const Linear classifier(b, "classifier", a.last, 1000, true);

  b.forward_begins();
  features = std::make_unique<Builder::Scope>(b, "features");
  Name x = first(input);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Builder::Scope scope(b, std::to_string(i + 1));
    x = run_stage(stages[i], x);
  }
  x = last(x);
  features.reset();
  x = adaptive_avg_pool(std::move(x), 1);
  x = flatten(std::move(x));
  x = dropout_in_place_of_view(std::move(x), a.dropout);
  return classifier(std::move(x));
}

bool recognises(const ModelSource& source) { return find(source) != nullptr; }

std::vector<std::string> names() { return names_of(known()); }

}  // namespace

extern const Model efficientnet{recognises, build, names};
}  // namespace forerun::models
