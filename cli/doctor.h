// `forerun doctor`: what this build and this machine have, and what each missing part needs.
#pragma once

#include <string>
#include <vector>

namespace forerun::cli {

int doctor(const std::vector<std::string>& arguments);

}  // namespace forerun::cli
