// Any bytes through the baseline reader; entries that no finding needs all come back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzer/engine/baseline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto baseline = forerun::engine::read_baseline(text, "fuzz.json");
  if (!baseline) return baseline.error().where.file == "fuzz.json" ? 0 : (std::abort(), 0);
  std::vector<forerun::Finding> none;
  const auto gone = forerun::engine::apply_baseline(*baseline, {}, none);
  if (gone.size() != baseline->entries.size()) std::abort();
  return 0;
}
