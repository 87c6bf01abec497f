// The pages of `--explain NAME`: one a layer (layers/<kind>/layer.md), one a GPU (its profile with
// its sources).
#pragma once

#include <string>

#include "core/result.h"

namespace forerun::cli {

// Errors: nothing has that name; names the nearest.
Result<std::string> page(const std::string& name);

// Layers, then GPUs, one a line.
std::string known_pages();

}  // namespace forerun::cli
