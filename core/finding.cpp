#include "core/finding.h"

namespace forerun {

std::string_view name(Level level) {
  switch (level) {
    case Level::Note: return "note";
    case Level::Warning: return "warning";
    case Level::Error: return "error";
  }
  return "";
}

}  // namespace forerun
