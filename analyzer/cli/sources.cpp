#include "analyzer/cli/sources.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace forerun::cli {
namespace {

namespace fs = std::filesystem;

bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions) {
  const std::string extension = fs::path(path).extension().string();
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

bool is_checked(const std::string& path) {
  return is_python(path) || is_notebook(path) || is_cpp(path);
}

bool is_passed_by(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name.size() > 1 && name[0] == '.') return true;
  static const std::set<std::string> names = {
      "__pycache__", "node_modules", "site-packages", "venv", "env", "CMakeFiles", "build", "dist"};
  if (names.contains(name) || name.starts_with("build-") || name.starts_with("cmake-build"))
    return true;
  std::error_code ignored;
  return fs::exists(folder / "pyvenv.cfg", ignored) ||
         fs::exists(folder / "CMakeCache.txt", ignored);
}

class Walk {
 public:
  Walk(const std::function<bool(const std::string&)>& excluded, Sources& into)
      : excluded_(excluded), into_(into) {}

  void named(const std::string& path) {
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    if (path == "-") return take(path);
    if (status.type() == fs::file_type::not_found) return refuse(path, "no such file or folder");
    if (problem) return refuse(path, fmt::format("cannot be looked at: {}", problem.message()));
    if (fs::is_directory(status)) return folder(path, 0);
    if (is_checked(path)) return take(path);
    refuse(path, "is neither Python nor C++ by its name",
           ".py, .ipynb, .cpp, .cc, .cxx, .cu, .cuh, .h or .hpp");
  }

 private:
  static constexpr int kMaxDepth = 64;

  void refuse(const std::string& path, const std::string& why, const std::string& accepted = {}) {
    into_.errors.push_back(error_at({path, {}, {}}, why, accepted));
  }
  void take(const std::string& path) {
    if (seen_.insert(path == "-" ? path : fs::path(path).lexically_normal().string()).second)
      into_.files.push_back(path);
  }
  void folder(const std::string& path, int depth) {
    if (depth > kMaxDepth)
      return refuse(path, fmt::format("is nested deeper than {} folders", kMaxDepth));
    std::error_code problem;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator at(path, problem), end; !problem && at != end;
         at.increment(problem))
      entries.push_back(*at);
    if (problem) return refuse(path, fmt::format("cannot be read: {}", problem.message()));
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.path().filename() < b.path().filename();
    });
    for (const fs::directory_entry& entry : entries) {
      const std::string inside =
          path == "." ? entry.path().filename().string() : entry.path().string();
      if (excluded_(inside)) continue;
      std::error_code ignored;
      if (entry.is_directory(ignored)) {
        if (!entry.is_symlink(ignored) && !is_passed_by(entry.path())) folder(inside, depth + 1);
      } else if (entry.is_regular_file(ignored) &&
                 !entry.path().filename().string().starts_with(".") && is_checked(inside)) {
        take(inside);
      }
    }
  }

  const std::function<bool(const std::string&)>& excluded_;
  Sources& into_;
  std::set<std::string> seen_;
};

}  // namespace

bool is_python(const std::string& path) { return has_extension(path, {".py", ".pyw"}); }
bool is_notebook(const std::string& path) { return has_extension(path, {".ipynb"}); }
bool is_cpp(const std::string& path) {
  return has_extension(path, {".cpp", ".cc", ".cxx", ".cu", ".h", ".hpp", ".hh", ".cuh", ".C"});
}

bool is_header(const std::string& path) {
  return has_extension(path, {".h", ".hpp", ".hh", ".cuh"});
}

Sources find_sources(const std::vector<std::string>& paths,
                     const std::function<bool(const std::string&)>& excluded) {
  Sources found;
  Walk walk(excluded, found);
  for (const std::string& path : paths) walk.named(path);
  return found;
}

}  // namespace forerun::cli
