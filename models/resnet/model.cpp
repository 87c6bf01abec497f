// ResNet, ResNeXt and Wide ResNet (torchvision 0.26, models/resnet.py).
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimator/graph/model_catalog.h"
#include "models/shared/vision.h"

namespace forerun::models {
namespace {

struct Architecture {
  const char* name;
  bool bottleneck;
  std::array<int, 4> layers;
  std::int64_t groups = 1;
  std::int64_t base_width = 64;
};

constexpr Architecture kKnown[] = {
    {"resnet18", false, {2, 2, 2, 2}},
    {"resnet34", false, {3, 4, 6, 3}},
    {"resnet50", true, {3, 4, 6, 3}},
    {"resnet101", true, {3, 4, 23, 3}},
    {"resnet152", true, {3, 8, 36, 3}},
    {"resnext50_32x4d", true, {3, 4, 6, 3}, 32, 4},
    {"resnext101_32x8d", true, {3, 4, 23, 3}, 32, 8},
    {"resnext101_64x4d", true, {3, 4, 23, 3}, 64, 4},
    {"wide_resnet50_2", true, {3, 4, 6, 3}, 1, 128},
    {"wide_resnet101_2", true, {3, 4, 23, 3}, 1, 128},
};

const Architecture* find(const ModelSource& source) {
  if (source.kind != ModelSource::Kind::Torchvision) return nullptr;
  const auto* found =
      std::find_if(std::begin(kKnown), std::end(kKnown),
                   [&](const Architecture& one) { return one.name == source.name; });
  return found == std::end(kKnown) ? nullptr : found;
}

// BasicBlock or Bottleneck: convolutions and their norms in turn.
class Block {
 public:
  Block(Builder& b, const Architecture& a, const std::string& name, std::int64_t in,
        std::int64_t planes, std::int64_t stride)
      : b_(b), name_(name) {
    const Builder::Scope scope(b, name);
    const std::int64_t out = a.bottleneck ? 4 * planes : planes;
    // _make_layer makes it before the block, which registers it last.
    const int from = b.made();
    if (stride != 1 || in != out) {
      const Builder::Scope inner(b, "downsample");
      down_conv_ = {b, "0", in, out, {.stride = stride}};
      down_norm_ = {b, "1", out};
    }
    const int to = b.made();
    if (a.bottleneck) {
      const std::int64_t width = planes * a.base_width / 64 * a.groups;
      part(in, width, {});
      part(width, width, {.kernel = 3, .stride = stride, .padding = 1, .groups = a.groups});
      part(width, out, {});
    } else {
      part(in, planes, {.kernel = 3, .stride = stride, .padding = 1});
      part(planes, planes, {.kernel = 3, .padding = 1});
    }
    if (to > from) b.registered_last(from, to);
  }

  Name operator()(const Name& x) const {
    const Builder::Scope scope(b_, name_);
    Name identity = x;
    Name out = x;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      out = convs_[i](std::move(out));
      out = norms_[i](std::move(out));
      if (i + 1 < convs_.size()) out = relu(std::move(out));
    }
    if (down_conv_.weight) {
      const Builder::Scope inner(b_, "downsample");
      identity = down_conv_(x);
      identity = down_norm_(std::move(identity));
    }
    out = add_in_place(std::move(out), identity);
    return relu(std::move(out));
  }

 private:
  void part(std::int64_t in, std::int64_t out, Window window) {
    const std::string number = std::to_string(convs_.size() + 1);
    convs_.emplace_back(b_, "conv" + number, in, out, window);
    norms_.emplace_back(b_, "bn" + number, out);
  }
  Name relu(Name x) const {
    const Builder::Scope scope(b_, "relu");
    return activate_in_place(Act::Relu, std::move(x));
  }

  Builder& b_;
  std::string name_;
  std::vector<Conv2d> convs_;
  std::vector<BatchNorm2d> norms_;
  Conv2d down_conv_;
  BatchNorm2d down_norm_;
};

using Stage = std::vector<Block>;

Stage make_layer(Builder& b, const Architecture& a, std::size_t number, std::int64_t& in) {
  const Builder::Scope scope(b, "layer" + std::to_string(number + 1));
  const std::int64_t planes = 64ll << number;
  Stage blocks;
  for (int i = 0; i < a.layers[number]; ++i) {
    blocks.emplace_back(b, a, std::to_string(i), in, planes, i == 0 && number > 0 ? 2 : 1);
    in = a.bottleneck ? 4 * planes : planes;
  }
  return blocks;
}

Name run_stage(const Stage& stage, const Name& x) {
  Name y = x;
  for (const Block& block : stage) y = block(y);
  return y;
}

Name build(Builder& b, const Spec& spec, Name input) {
  if (!begin_vision(b, spec, input)) return {};
  const Architecture& a = *find(*spec.source);
  const Conv2d conv1(b, "conv1", 3, 64, {.kernel = 7, .stride = 2, .padding = 3});
  const BatchNorm2d bn1(b, "bn1", 64);
  std::int64_t width = 64;
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < a.layers.size(); ++i) stages.push_back(make_layer(b, a, i, width));
  const Linear fc(b, "fc", width, 1000, true);

  b.forward_begins();
  Name x = conv1(input);
  x = bn1(std::move(x));
  x = activate_in_place(Act::Relu, std::move(x));
  x = max_pool(std::move(x), {.kernel = 3, .stride = 2, .padding = 1});
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Builder::Scope scope(b, "layer" + std::to_string(i + 1));
    x = run_stage(stages[i], x);
  }
  x = adaptive_avg_pool(std::move(x), 1);
  x = flatten(std::move(x));
  return fc(std::move(x));
}

bool recognises(const ModelSource& source) { return find(source) != nullptr; }

std::vector<std::string> names() { return names_of(kKnown); }

}  // namespace

extern const Model resnet{recognises, build, names};
}  // namespace forerun::models
