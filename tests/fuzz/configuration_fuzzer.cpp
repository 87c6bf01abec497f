// Any bytes through the configuration reader, in both kinds of file; an error has a place in it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzer/engine/configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* path : {"forerun.toml", "pyproject.toml"}) {
    const auto settings = forerun::engine::read_configuration(text, path);
    if (!settings && settings.error().where.file != path) std::abort();
    if (settings)
      forerun::engine::Selection(*settings).reports("zero-grad-missing", "gradient", "a/b.py");
  }
  return 0;
}
