// Any bytes as a model's config.json, and what it describes through the whole estimate. An error of
// the reader has its place in the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/config.h"
#include "core/spec.h"
#include "core/yaml.h"
#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"

namespace {

// Large models take longer than a fuzzer waits, and it finds nothing in them that small ones lack.
bool is_small(const forerun::ConfigValue& value) {
  const auto number = forerun::yaml::to_real(value.text);
  if (number && (*number > 512 || *number < -512)) return false;
  for (const auto& item : value.items)
    if (!is_small(item)) return false;
  return true;
}

forerun::Spec spec_around(const forerun::ConfigValue& config) {
  auto spec = forerun::parse_spec(
      "{model: {torchvision: resnet18}, input: {shape: [3, 32, 32]}, target: {shape: []}, "
      "batch_size: 2, gpu: a100-sxm-80gb, optimizer: adamw}",
      "spec.yaml");
  if (!spec) std::abort();
  spec->source->kind = forerun::ModelSource::Kind::HfConfig;
  spec->source->name.clear();
  spec->source->config = config;
  return *spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = forerun::parse_config(text, "config.json");
  if (!config && config.error().where.file != "config.json") std::abort();
  if (!config || !is_small(*config)) return 0;
  static const auto device = forerun::devices::find("a100-sxm-80gb");
  forerun::pipeline::estimate({spec_around(*config)}, *device);
  return 0;
}
