#include "analyzer/link/modules.h"

#include <algorithm>
#include <filesystem>

namespace forerun::link {
namespace {

namespace fs = std::filesystem;

std::string normal(const std::string& path) {
  return fs::path(path).lexically_normal().generic_string();
}

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().generic_string();
}

std::string beside(const std::string& folder, const std::string& name) {
  return normal(folder.empty() ? name : folder + "/" + name);
}

}  // namespace

Modules::Modules(const std::vector<std::string>& files) {
  for (const std::string& file : files) files_.emplace(normal(file), file);
}

std::string Modules::file_of(const std::string& folder, std::string_view module) const {
  std::string path(module);
  std::replace(path.begin(), path.end(), '.', '/');
  for (const std::string& each : {path.empty() ? "" : path + ".py", path + "/__init__.py"}) {
    if (each.empty()) continue;
    const auto found = files_.find(beside(folder, path.empty() ? "__init__.py" : each));
    if (found != files_.end()) return found->second;
  }
  return "";
}

Symbol Modules::find(const std::string& importer, std::string_view dotted) const {
  const std::size_t dots = std::min(dotted.find_first_not_of('.'), dotted.size());
  const std::string_view names = dotted.substr(dots);
  std::string folder = folder_of(normal(importer));
  for (std::size_t up = 1; up < dots; ++up) folder = beside(folder, "..");
  while (true) {
    for (std::size_t end = names.size();; end = names.rfind('.', end - 1)) {
      const std::string file = file_of(folder, names.substr(0, end));
      if (!file.empty()) return {file, std::string(names.substr(std::min(end + 1, names.size())))};
      if (end == 0 || names.rfind('.', end - 1) == std::string_view::npos) break;
    }
    if (dots > 0) {
      // from . import name: the package's own file, or nothing.
      const std::string package = file_of(folder, "");
      return package.empty() ? Symbol{} : Symbol{package, std::string(names)};
    }
    if (folder.empty() || folder == "/" || folder.ends_with("..")) return {};
    folder = folder_of(folder);
  }
}

}  // namespace forerun::link
