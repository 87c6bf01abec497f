#include "estimator/cli/explain.h"

#include <vector>

#include <fmt/format.h>

#include "core/nearest.h"
#include "core/units.h"
#include "estimator/devices/device.h"
#include "estimator/graph/layer_catalog.h"

namespace forerun::cli {
namespace {

std::vector<std::string> layer_names() {
  std::vector<std::string> names;
  for (const auto& entry : layers::catalog()) names.emplace_back(entry.id);
  return names;
}

std::string gpu_page(const devices::Device& gpu) {
  std::string text = fmt::format("# {}\n\n{}, compute capability {}.{}\n\n", gpu.name,
                                 gpu.vendor_name, gpu.compute_major, gpu.compute_minor);
  auto row = [&](std::string_view what, const std::string& value) {
    text += fmt::format("  {:<34}{}\n", what, value);
  };
  row("multiprocessors", fmt::format("{}", gpu.multiprocessors));
  row("threads a multiprocessor", fmt::format("{}", gpu.max_threads_per_multiprocessor));
  row("memory", fmt::format("{} ({} bytes)", format_bytes(gpu.total_memory_bytes),
                            with_thousands(gpu.total_memory_bytes)));
  row("of it taken by the CUDA context", format_bytes(gpu.context_bytes));
  row("memory bandwidth",
      fmt::format("{:.0f} GB/s", static_cast<double>(gpu.memory_bandwidth_bytes_per_s) / 1e9));
  for (const auto& [arithmetic, peak] : gpu.peak_flops_per_s)
    row(fmt::format("peak {}, dense", arithmetic), fmt::format("{:.1f} TFLOP/s", peak / 1e12));
  text += "\nsources\n";
  for (const auto& [field, source] : gpu.sources) text += fmt::format("  {}: {}\n", field, source);
  return text;
}

}  // namespace

Result<std::string> page(const std::string& name) {
  for (const auto& entry : layers::catalog()) {
    if (entry.id == name) return std::string(entry.page);
  }
  const std::vector<std::string> gpus = devices::names();
  for (const std::string& gpu : gpus) {
    if (gpu != name) continue;
    const auto device = devices::find(name);
    if (!device) return device.error();
    return gpu_page(*device);
  }
  std::vector<std::string> known = layer_names();
  known.insert(known.end(), gpus.begin(), gpus.end());
  return error(fmt::format("no layer or GPU is called '{}'", name), suggest(name, known));
}

std::string known_pages() {
  std::string text;
  for (const std::string& name : layer_names()) text += name + "\n";
  for (const std::string& name : devices::names()) text += name + "\n";
  return text;
}

}  // namespace forerun::cli
