// C++ to IR, with Clang 19 as a library. Parses, never executes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"
#include "core/result.h"

namespace forerun::cpp {

struct Options {
  std::string
      build_path;  // -p: folder with compile_commands.json; empty: searched upwards from the file
  std::vector<std::string> flags;       // after `--`: used instead of compile_commands.json
  std::vector<std::string> extra_args;  // --extra-arg: appended to whatever flags are used
  // Where to look for LibTorch's headers when no flags are given: site-packages or libtorch
  // folders, in order.
  std::vector<std::string> torch_roots;
  // Folder for precompiled headers, made on demand; empty: none are used. One that cannot be
  // written is a message.
  std::string cache_path;
  // Told before something slow starts (a precompiled header is built); may be empty.
  std::function<void(const std::string&)> progress;
};

struct Lowered {
  ir::Program program;
  std::string flags_from;  // "compile_commands.json in build/", "flags found: LibTorch 2.11 in
                           // ...", "flags given"
  std::vector<std::string>
      messages;  // about the run rather than the program: cache unusable, entry inferred
};

// Lowers one translation unit: the functions of the file itself and of headers beside it that it
// includes by quotes. Templates are lowered through their instantiations (once each, by source
// place), or as written when there is none. Errors: no flags and no LibTorch found; a file Clang
// cannot parse at all (its first message, with place). Parse errors that Clang recovers from are
// notes. Prints nothing. While it runs, Clang's crash recovery owns the signal handlers for
// crashes: a crash inside Clang is an Error too.
// `text`: what the file holds, instead of what is on the disk (an editor's, or standard input's);
// headers it includes are looked for beside `path` all the same.
Result<Lowered> lower(const std::string& path, const Options& options,
                      std::optional<std::string_view> text = std::nullopt);

}  // namespace forerun::cpp
