// The printed form of the IR back to a Program: tests and fuzzing are written in it. docs/ir.md is
// the grammar.
//
// Two things the printed form does not carry can be given in comment lines, which printing drops
// again:
//   # import lightning        Program::imports
//   # language cpp            Program::language
//   # class Mean (Base, ...)  Program::classes, members by `# member self.x ROLE` after it
//   # role PLACE ROLE         Function::roles of the function it stands in
// Any other line that starts with "#" is a comment.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"
#include "core/result.h"

namespace forerun::ir {

inline constexpr int kMaxDepth = 200;              // nested blocks
inline constexpr std::size_t kMaxLines = 1 << 20;  // of one program

// Errors name line and column, the offending text and what would stand there. Locations in the
// program are those of `text`; `path` is the file they name. For every text t that parses,
// print(parse(t)) is t without its comment lines.
Result<Program> parse(std::string_view text, const std::string& path);

}  // namespace forerun::ir
