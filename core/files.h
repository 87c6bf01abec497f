// Reading and writing whole files with bounds; never a half-written one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace forerun {

inline constexpr std::int64_t kMaxTextFileBytes = 64ll << 20;

// The file's bytes. Errors: missing, a directory, unreadable, larger than max_bytes (said with both
// sizes, and found before anything is read). "-" reads standard input up to the same bound.
Result<std::string> read_file(const std::string& path, std::int64_t max_bytes = kMaxTextFileBytes);

// Writes beside the target and renames over it, so that a reader sees the old file or the new one.
// An interrupted run leaves the old file. Errors name the path and the system's reason.
Status write_file(const std::string& path, std::string_view bytes);

// True when text holds a NUL byte or is not UTF-8: not a text file people meant to give us.
bool is_binary(std::string_view text);

}  // namespace forerun
