#include "analyzer/cli/places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/version.h"

namespace forerun::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// PREFIX/lib/python3.*/site-packages, newest first.
void add_site_packages(const fs::path& prefix, std::vector<std::string>& roots) {
  std::error_code problem;
  std::vector<std::string> found;
  for (fs::directory_iterator at(prefix / "lib", problem), end; !problem && at != end;
       at.increment(problem)) {
    if (!at->path().filename().string().starts_with("python3")) continue;
    for (const char* kind : {"site-packages", "dist-packages"}) {
      const fs::path folder = at->path() / kind;
      std::error_code ignored;
      if (fs::exists(folder / "torch", ignored)) found.push_back(folder.string());
    }
  }
  std::sort(found.rbegin(), found.rend());
  roots.insert(roots.end(), found.begin(), found.end());
}

}  // namespace

std::vector<std::string> torch_roots(const std::vector<std::string>& named) {
  std::vector<std::string> roots = named;
  if (const std::string set = environment("FORERUN_TORCH"); !set.empty()) roots.push_back(set);
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  if (!problem) add_site_packages(self.parent_path().parent_path() / "venv", roots);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = environment(name); !prefix.empty())
      add_site_packages(prefix, roots);
  }
  for (const char* prefix : {"/usr/local", "/usr"}) add_site_packages(prefix, roots);
  for (const char* folder : {"/opt/libtorch", "/usr/local/libtorch", "/usr"}) {
    if (fs::exists(folder, problem)) roots.emplace_back(folder);
  }
  // Last, forerun's own declarations of the API: where it is installed, or in the source tree it
  // was built in.
  const fs::path prefix = self.parent_path().parent_path();
  for (const fs::path& folder :
       {prefix / "share/forerun/headers", prefix.parent_path() / "analyzer/cpp/headers"}) {
    std::error_code ignored;
    if (fs::exists(folder / "torch/forerun_declarations.h", ignored))
      roots.push_back(folder.string());
  }
  return roots;
}

std::string default_cache_folder() {
  if (const std::string given = environment("FORERUN_CACHE_DIR"); !given.empty()) return given;
  if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/forerun";
  if (const std::string home = environment("HOME"); !home.empty()) return home + "/.cache/forerun";
  return "";
}

std::string build_name() {
  struct stat info {};
  if (::stat("/proc/self/exe", &info) != 0) return "";
  return fmt::format("{} {} {}.{}", kVersion, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

}  // namespace forerun::cli
