// A cache of precompiled headers: LibTorch's headers take ten seconds to parse and a tenth of one
// to load.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forerun::cpp {

struct Pch {
  std::string path;                   // empty: parse without one
  std::vector<std::string> messages;  // built, rebuilt, or why there is none
};

struct PchRequest {
  std::vector<std::string> cc1;
  std::string directory;
  std::string file;        // the main file
  std::string cache_path;  // empty: no cache
  std::function<void(const std::string&)> progress;
  bool rebuild = false;                  // the one there was refused by Clang
  std::optional<std::string_view> text;  // of the main file, when it is not the disk's
};

// The torch headers `file` (or a header it includes by quotes) includes decide whether there is one
// to use; the flags and those headers are its key. An entry whose bytes are not those written is
// rebuilt; entries are written beside and renamed, so that a reader never sees half a file.
Pch find_or_build_pch(const PchRequest& request);

// The torch headers among the includes of a source text and of headers beside it, umbrella headers
// first.
std::vector<std::string> torch_includes(const std::string& file,
                                        std::optional<std::string_view> text = std::nullopt);

}  // namespace forerun::cpp
