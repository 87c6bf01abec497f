// `forerun explain NAME`: the page about a rule, a layer or a GPU, from the tool that embeds it.
#pragma once

#include <string>
#include <vector>

namespace forerun::cli {

int explain(const std::vector<std::string>& arguments);

}  // namespace forerun::cli
