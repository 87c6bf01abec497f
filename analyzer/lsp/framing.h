// The base protocol of the Language Server Protocol 3.17: "Content-Length: N" and other header
// lines, an empty line, N bytes of JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace forerun::lsp {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{8} << 10;

// Takes bytes as they come and gives back whole messages.
class Framing {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // The next message's JSON text; nothing while it is not all there. Errors: a header without a
  // usable Content-Length, or larger than the bounds; the stream cannot be read on after one.
  Result<std::optional<std::string>> next();

 private:
  std::string buffer_;
};

std::string framed(std::string_view json);

}  // namespace forerun::lsp
