// MobileNet V2 (torchvision 0.26, models/mobilenetv2.py).
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

class InvertedResidual {
 public:
  InvertedResidual(Builder& b, std::string name, std::int64_t in, std::int64_t out,
                   std::int64_t stride, std::int64_t expand)
      : b_(b), name_(std::move(name)), residual_(stride == 1 && in == out) {
    const Builder::Scope scope(b, name_ + ".conv");
    const std::int64_t hidden = in * expand;
    if (expand != 1) convs_.emplace_back(b, "0", in, hidden, Window{}, Act::Relu6);
    convs_.emplace_back(b, std::to_string(convs_.size()), hidden, hidden,
                        Window{.kernel = 3, .stride = stride, .groups = hidden}, Act::Relu6);
    const std::size_t number = convs_.size();
    project_ = {b, std::to_string(number), hidden, out, {}};
    norm_ = {b, std::to_string(number + 1), out};
  }

  Name operator()(const Name& x) const {
    const Builder::Scope scope(b_, name_);
    Name y = x;
    {
      const Builder::Scope inner(b_, "conv");
      for (const ConvNormAct& conv : convs_) y = conv(y);
      y = project_(std::move(y));
      y = norm_(std::move(y));
    }
    return residual_ ? fn::add(x, std::move(y)) : y;
  }

 private:
  Builder& b_;
  std::string name_;
  bool residual_;
  std::vector<ConvNormAct> convs_;
  Conv2d project_;
  BatchNorm2d norm_;
};

struct Setting {
  std::int64_t expand, channels;
  int times;
  std::int64_t stride;
};
constexpr Setting kSettings[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                 {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

std::vector<InvertedResidual> make_blocks(Builder& b) {
  std::vector<InvertedResidual> blocks;
  std::int64_t in = 32;
  for (const Setting& one : kSettings) {
    for (int i = 0; i < one.times; ++i) {
      blocks.emplace_back(b, std::to_string(blocks.size() + 1), in, one.channels,
                          i == 0 ? one.stride : 1, one.expand);
      in = one.channels;
    }
  }
  return blocks;
}

Name build(Builder& b, const Spec& spec, Name input) {
  if (!begin_vision(b, spec, input)) return {};
  auto features = std::make_unique<Builder::Scope>(b, "features");
  const ConvNormAct first(b, "0", 3, 32, {.kernel = 3, .stride = 2}, Act::Relu6);
  const std::vector<InvertedResidual> blocks = make_blocks(b);
  const ConvNormAct last(b, std::to_string(blocks.size() + 1), 320, 1280, {}, Act::Relu6);
  features.reset();
  const Linear classifier(b, "classifier", 1280, 1000, true);

  b.forward_begins();
  features = std::make_unique<Builder::Scope>(b, "features");
  Name x = first(input);
  for (const InvertedResidual& block : blocks) x = block(x);
  x = last(x);
  features.reset();
  x = adaptive_avg_pool(std::move(x), 1);
  x = flatten(std::move(x));
  const Name into_classifier = x;  // forward()'s x, until the classifier returns
  x = fn::dropout(std::move(x), 0.2);
  return classifier(std::move(x));
}

bool recognises(const ModelSource& source) {
  return source.kind == ModelSource::Kind::Torchvision && source.name == "mobilenet_v2";
}

std::vector<std::string> names() { return {"mobilenet_v2"}; }

}  // namespace

extern const Model mobilenet_v2{recognises, build, names};
}  // namespace forerun::models
