// Estimates as JSON and as text. Same estimate, same bytes: no clock, no absolute path.
#pragma once

#include <string>
#include <vector>

#include "core/report.h"

namespace forerun {

// One estimate: an object {tool, version, context, estimate}; several that share a process: an
// array of them.
std::string to_json(const std::vector<Estimate>& estimates);

// For people, at most about 100 columns.
std::string to_text(const std::vector<Estimate>& estimates);

}  // namespace forerun
