// Any bytes through the reader of specs; an error has its place in the spec.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // A model's own file is read by model_fuzzer: this one opens none.
  if (text.find("hf_config") != std::string::npos) return 0;
  const auto spec = forerun::parse_spec(text, "spec.yaml");
  if (!spec && spec.error().where.file != "spec.yaml") std::abort();
  return 0;
}
