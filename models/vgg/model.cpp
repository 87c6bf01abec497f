// VGG, with and without batch norm (torchvision 0.26, models/vgg.py).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "estimator/graph/functional.h"
#include "estimator/graph/model_catalog.h"
#include "models/shared/vision.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

// Convolutions in each of the five stages, of 64, 128, 256, 512 and 512 channels; a pool ends each.
struct Architecture {
  const char* name;
  int stages[5];
  bool norm;
};

constexpr Architecture kKnown[] = {
    {"vgg11", {1, 1, 2, 2, 2}, false},   {"vgg13", {2, 2, 2, 2, 2}, false},
    {"vgg16", {2, 2, 3, 3, 3}, false},   {"vgg19", {2, 2, 4, 4, 4}, false},
    {"vgg11_bn", {1, 1, 2, 2, 2}, true}, {"vgg13_bn", {2, 2, 2, 2, 2}, true},
    {"vgg16_bn", {2, 2, 3, 3, 3}, true}, {"vgg19_bn", {2, 2, 4, 4, 4}, true},
};

const Architecture* find(const ModelSource& source) {
  if (source.kind != ModelSource::Kind::Torchvision) return nullptr;
  const auto* found =
      std::find_if(std::begin(kKnown), std::end(kKnown),
                   [&](const Architecture& one) { return one.name == source.name; });
  return found == std::end(kKnown) ? nullptr : found;
}

class Features {
 public:
  Features(Builder& b, const Architecture& a) : b_(b) {
    const Builder::Scope scope(b, "features");
    std::int64_t in = 3;
    int number = 0;
    for (std::size_t stage = 0; stage < 5; ++stage) {
      const std::int64_t out = std::min<std::int64_t>(64ll << stage, 512);
      for (int i = 0; i < a.stages[stage]; ++i) {
        convs_.emplace_back(b, std::to_string(number), in, out,
                            Window{.kernel = 3, .padding = 1, .bias = true});
        if (a.norm) norms_.emplace_back(b, std::to_string(number + 1), out);
        ends_stage_.push_back(i + 1 == a.stages[stage]);
        number += a.norm ? 3 : 2;
        in = out;
      }
      ++number;
    }
  }

  Name operator()(const Name& images) const {
    const Builder::Scope scope(b_, "features");
    Name x = images;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      x = convs_[i](std::move(x));
      if (!norms_.empty()) x = norms_[i](std::move(x));
      const Builder::Scope after(b_, convs_[i].name + " on");
      x = activate_in_place(Act::Relu, std::move(x));
      if (ends_stage_[i]) x = max_pool(std::move(x), {.kernel = 2, .stride = 2});
    }
    return x;
  }

 private:
  Builder& b_;
  std::vector<Conv2d> convs_;
  std::vector<BatchNorm2d> norms_;
  std::vector<bool> ends_stage_;
};

Name build(Builder& b, const Spec& spec, Name input) {
  if (!begin_vision(b, spec, input)) return {};
  const Features features(b, *find(*spec.source));
  const Linear first(b, "classifier.0", 512 * 7 * 7, 4096, true);
  const Linear second(b, "classifier.3", 4096, 4096, true);
  const Linear third(b, "classifier.6", 4096, 1000, true);

  b.forward_begins();
  Name x = features(input);
  x = adaptive_avg_pool(std::move(x), 7);
  x = flatten(std::move(x));
  const Name into_classifier = x;  // forward()'s x, until the classifier returns
  x = first(std::move(x));
  for (const Linear* next : {&second, &third}) {
    const Builder::Scope scope(b, "classifier");
    x = activate_in_place(Act::Relu, std::move(x));
    x = fn::dropout(std::move(x), 0.5);
    x = (*next)(std::move(x));
  }
  return x;
}

bool recognises(const ModelSource& source) { return find(source) != nullptr; }

std::vector<std::string> names() { return names_of(kKnown); }

}  // namespace

extern const Model vgg{recognises, build, names};
}  // namespace forerun::models
