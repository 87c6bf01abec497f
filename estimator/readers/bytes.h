// Bytes at offsets: of a file, which is never read as a whole, or of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace forerun::readers {

class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::int64_t size() const = 0;
  // Exactly `length` bytes from `offset`; the caller stays within size(). Errors: the file changed
  // or cannot be read.
  virtual Result<std::string> read(std::int64_t offset, std::int64_t length) = 0;
};

// Errors: missing, a directory, unreadable; with the path.
Result<std::unique_ptr<Bytes>> open_file(const std::string& path);
// `text` outlives what is given.
std::unique_ptr<Bytes> open_memory(std::string_view text);

}  // namespace forerun::readers
