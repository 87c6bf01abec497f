// Python to IR, with tree-sitter. Reads text, never imports or executes it.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"
#include "core/result.h"

namespace forerun::python {

// Lowers one file. A file with syntax errors is lowered as far as it parses and says so in
// Program::notes; text that is not Python at all (NUL bytes, mostly errors, more than 2 GiB) is an
// Error. What is nested deeper than kDepthBound (syntax.h) is not read, and a note says so; how
// much text is read is the caller's to bound.
Result<ir::Program> lower(const std::string& text, const std::string& path);

// Whether the words of a file leave it possible that a rule has something to say of it: it mentions
// torch, names something as models, optimizers, losses or tensors are named, or uses what only they
// have; or a comment in it speaks to us. False: no operation of it has a meaning to training, and
// it need not be parsed.
bool may_concern_training(std::string_view text);

}  // namespace forerun::python
