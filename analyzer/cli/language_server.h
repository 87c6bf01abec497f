// forerun lint --lsp: the language server on standard input and output.
#pragma once

#include "analyzer/cli/arguments.h"

namespace forerun::cli {

// Serves until the client says `exit` or closes the stream. Returns the exit status of the process:
// 0 after an orderly shutdown, 1 without one, 2 when the stream cannot be understood.
int serve(const Arguments& arguments);

}  // namespace forerun::cli
