// Any bytes as an ONNX file: an error has the file's path.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "estimator/readers/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto bytes = forerun::readers::open_memory(text);
  const auto program = forerun::readers::parse_onnx(*bytes, "a.onnx");
  if (!program && program.error().where.file != "a.onnx") std::abort();
  return 0;
}
