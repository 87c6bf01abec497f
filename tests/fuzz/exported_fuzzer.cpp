// Any bytes as an archive of torch.export, and as the program inside a sound one: an error has the
// archive's path, and nothing is read beyond it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "estimator/readers/exported_program.h"
#include "tests/readers/archives.h"

namespace {

void read(const std::string& bytes) {
  const auto program =
      forerun::readers::parse_exported(forerun::readers::open_memory(bytes), "a.pt2");
  if (!program && program.error().where.file != "a.pt2") std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(forerun::readers::zipped({{"a/models/model.json", text}}));
  return 0;
}
