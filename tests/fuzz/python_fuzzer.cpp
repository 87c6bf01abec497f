// Any bytes through the Python front end: no crash, and the IR's invariants hold of whatever it
// answers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "analyzer/ir/ir.h"
#include "analyzer/ir/verify.h"
#include "analyzer/python/frontend.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto program = forerun::python::lower(text, "fuzz.py");
  if (!program) return 0;
  forerun::ir::print(*program);
  const auto broken = forerun::ir::verify(*program);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", forerun::to_string(broken.front()).c_str());
  std::abort();
}
