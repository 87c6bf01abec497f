// Any bytes through the reader of the printed IR: no crash, and what it takes prints to itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzer/ir/ir.h"
#include "analyzer/ir/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto program = forerun::ir::parse(text, "fuzz.tir");
  if (!program) return 0;
  const std::string printed = forerun::ir::print(*program);
  const auto again = forerun::ir::parse(printed, "fuzz.tir");
  if (!again || forerun::ir::print(*again) != printed) std::abort();
  return 0;
}
