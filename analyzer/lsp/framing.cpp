#include "analyzer/lsp/framing.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace forerun::lsp {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";

// Field names are those of HTTP: their case does not matter.
bool is_content_length(std::string_view name) {
  constexpr std::string_view wanted = "content-length";
  return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

std::optional<std::size_t> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::size_t> content_length(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && is_content_length(line.substr(0, colon)))
      return number(line.substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::string>> Framing::next() {
  const std::size_t end = buffer_.find(kEnd);
  if (std::min(end, buffer_.size()) > kMaxHeaderBytes)
    return error(fmt::format("a message header of more than {} bytes", kMaxHeaderBytes));
  if (end == std::string::npos) return std::optional<std::string>();
  const auto length = content_length(std::string_view(buffer_).substr(0, end));
  if (!length) return error("a message header without a Content-Length");
  if (*length > kMaxMessageBytes)
    return error(fmt::format("a message of {} bytes", *length),
                 fmt::format("at most {} bytes", kMaxMessageBytes));
  const std::size_t begin = end + kEnd.size();
  if (buffer_.size() - begin < *length) return std::optional<std::string>();
  std::optional<std::string> message = buffer_.substr(begin, *length);
  buffer_.erase(0, begin + *length);
  return message;
}

std::string framed(std::string_view json) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", json.size(), json);
}

}  // namespace forerun::lsp
