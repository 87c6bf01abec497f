// File URIs (RFC 3986, RFC 8089) and paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace forerun::lsp {

// The path of a file: URI on this machine; nothing for other schemes, hosts, or bad escapes.
std::optional<std::string> path_of(std::string_view uri);
std::string uri_of(std::string_view absolute_path);

}  // namespace forerun::lsp
