// The version, stated once: CMake reads it from here, and every report and --version prints it.
#pragma once

namespace forerun {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace forerun
