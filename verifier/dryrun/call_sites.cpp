#include "verifier/dryrun/call_sites.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace forerun::dryrun {
namespace {

// Frames of a chain that are looked at: a chain that leads back to itself ends.
constexpr int kLongestChain = 256;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What follows the last `marker` in path, "" when it is not there.
std::string_view after(std::string_view path, std::string_view marker) {
  const std::size_t at = path.rfind(marker);
  return at == std::string_view::npos ? std::string_view() : path.substr(at + marker.size());
}

std::string_view in_packages(std::string_view path) {
  const std::string_view site = after(path, "/site-packages/");
  return site.empty() ? after(path, "/dist-packages/") : site;
}

// "/usr/lib/python3.11/threading.py" -> "python3.11/threading.py"
std::string_view in_standard_library(std::string_view path) {
  const std::size_t at = path.rfind("/lib/python3");
  if (at == std::string_view::npos || !in_packages(path).empty()) return {};
  return path.substr(at + std::string_view("/lib/").size());
}

bool is_object(std::string_view path) { return path.ends_with(".so") || contains(path, ".so."); }

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Shared objects that no program brings itself: PyTorch's, the C and C++ runtimes, the interpreter,
// NVIDIA's and ours.
bool is_framework_object(std::string_view path) {
  const std::string_view name = base_name(path);
  if (!in_packages(path).empty()) return true;
  for (const std::string_view begin :
       {"libtorch", "libc10",     "libstdc++",  "libgcc",  "libc.so",   "libm.so", "libpthread",
        "ld-linux", "libpython",  "libgomp",    "libcu",   "libnccl",   "libnv",   "libforerun",
        "libshm",   "linux-vdso", "_C.cpython", "python3", "libcaffe2", "libtbb",  "libmkl"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

bool is_framework_source(std::string_view path) {
  if (path.starts_with("<frozen") || path.starts_with("<__array_function__")) return true;
  const std::string_view package = in_packages(path);
  if (!package.empty()) {
    return package.starts_with("torch/") || package.starts_with("torchvision/_") ||
           package.starts_with("triton/");
  }
  // A C++ frame that debug information puts into a header of PyTorch or of the standard library.
  if (contains(path, "/torch/include/") || contains(path, "/include/c++/")) return true;
  return !in_standard_library(path).empty();
}

std::string last_two_parts(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string folder = whole.parent_path().filename().string();
  return folder.empty() ? whole.filename().string() : folder + "/" + whole.filename().string();
}

bool is_named(const std::string& path, const std::vector<std::string>& command) {
  return std::any_of(command.begin(), command.end(), [&](const std::string& word) {
    if (word.empty() || word[0] != '/') return false;
    const std::string folder = std::filesystem::path(word).parent_path().string() + "/";
    return path == word || (folder.size() > 1 && path.starts_with(folder));
  });
}

// A method's name without its class: "Tensor.backward" -> "backward".
std::string_view last_part(std::string_view function) {
  return function.substr(function.rfind('.') + 1);  // npos + 1 is 0
}

// Frames of PyTorch through which every call of a module, a decorator or an optimizer goes.
bool is_plumbing(std::string_view function) {
  const std::string_view name = last_part(function);
  return name == "_wrapped_call_impl" || name == "_call_impl" || name == "wrapper" ||
         name == "decorate_context" || name == "_fn" || name == "inner" ||
         name == "_use_grad_for_differentiable" || name == "_use_grad";
}

std::string frame_text(const std::string& file, int line, const std::string& function) {
  std::string text = line > 0 ? fmt::format("{}:{}", file, line) : file;
  if (!function.empty() && function != "<module>") text += " in " + function;
  return text;
}

// Templates and inline functions of PyTorch's headers are compiled into the program.
bool is_framework_function(std::string_view function) {
  for (const std::string_view begin : {"torch::", "at::", "c10::", "std::", "__gnu_cxx::"})
    if (function.starts_with(begin)) return true;
  return false;
}

}  // namespace

std::string shown_path(const std::string& path, const PathStyle& style) {
  if (path.empty() || path[0] != '/') return path.starts_with("./") ? path.substr(2) : path;
  const std::string_view package = in_packages(path);
  if (!package.empty()) return std::string(package);
  const std::string_view standard = in_standard_library(path);
  if (!standard.empty()) return std::string(standard);
  const std::string here = style.working_directory + "/";
  if (here.size() > 1 && path.starts_with(here)) return path.substr(here.size());
  const std::string tidy = std::filesystem::path(path).lexically_normal().string();
  return is_named(tidy, style.command) ? tidy : last_two_parts(tidy);
}

std::string to_string(const Place& place) {
  if (place.file.empty()) return "a place that is not known";
  return frame_text(place.file, place.line, place.function);
}

CallSites::CallSites(const ProcessLog& log, PathStyle style)
    : log_(log),
      style_(std::move(style)),
      place_of_site_(log.sites.size(), -1),
      phase_of_site_(log.sites.size(), -1) {}

const CallSites::Frame& CallSites::frame(std::uint32_t site) {
  const auto [at, is_new] = frames_.try_emplace(site);
  Frame& result = at->second;
  if (!is_new) return result;
  const EmuSite& logged = log_.sites[site];
  const std::string& file = log_.name(logged.file);
  result.function = log_.name(logged.function);
  result.line = static_cast<int>(std::min<std::uint32_t>(logged.line, 1u << 30));
  if (logged.line != 0) {
    result.file = file;
    const bool framework = is_framework_source(file);
    result.owner = framework                   ? Owner::kFramework
                   : in_packages(file).empty() ? Owner::kProgram
                                               : Owner::kPackage;
    return result;
  }
  result.file = file;
  result.owner = file.empty() || is_framework_object(file) ? Owner::kFramework : Owner::kProgram;
  const NativePlace found = symbols_.find(file, logged.offset);
  if (!found.function.empty()) result.function = short_function(found.function);
  if (is_framework_function(result.function)) result.owner = Owner::kFramework;
  if (!found.file.empty() && result.owner == Owner::kProgram) {
    result.file = found.file;
    result.line = found.line;
    if (is_framework_source(found.file)) result.owner = Owner::kFramework;
  }
  if (result.function.empty() && result.line == 0)
    result.function = fmt::format("0x{:x}", logged.offset);
  return result;
}

Place CallSites::made(std::uint32_t site) {
  Place place;
  const Frame* below = nullptr;
  const auto shown = [&](const Frame& f) {
    const bool object = f.line == 0 && (is_object(f.file) || f.owner == Owner::kFramework);
    return object ? std::string(base_name(f.file)) : shown_path(f.file, style_);
  };
  int frames = 0;
  for (std::uint32_t at = site; at != 0 && frames < kLongestChain; at = log_.sites[at].caller) {
    ++frames;
    const Frame& candidate = frame(at);
    if (candidate.owner == Owner::kFramework && place.file.empty()) {
      if (below == nullptr || !is_plumbing(candidate.function)) below = &candidate;
      continue;
    }
    if (candidate.owner == Owner::kFramework) continue;
    if (place.file.empty()) {
      place.file = shown(candidate);
      place.line = candidate.line;
      place.function = candidate.function;
      if (below != nullptr) place.below = frame_text(shown(*below), below->line, below->function);
      if (candidate.owner == Owner::kProgram) break;
    } else if (candidate.owner == Owner::kProgram) {
      place.called_from = frame_text(shown(candidate), candidate.line, candidate.function);
      break;
    }
  }
  if (place.file.empty() && below != nullptr) {
    place.file = shown(*below);
    place.line = below->line;
    place.function = below->function;
  }
  return place;
}

int CallSites::place_of(std::uint32_t site) {
  if (site == 0 || site >= place_of_site_.size()) return 0;
  int& known = place_of_site_[site];
  if (known >= 0) return known;
  Place place = made(site);
  if (place.file.empty()) return known = 0;
  const auto [at, is_new] =
      by_text_.try_emplace(to_string(place) + "\n" + place.below + "\n" + place.called_from,
                           static_cast<int>(places_.size()));
  if (is_new) places_.push_back(std::move(place));
  return known = at->second;
}

// PyTorch runs backward on threads of its own; here is what frames add.
SitePhase CallSites::phase_of(std::uint32_t site) {
  if (site == 0 || site >= phase_of_site_.size()) return SitePhase::kNone;
  int& known = phase_of_site_[site];
  if (known >= 0) return static_cast<SitePhase>(known);
  SitePhase phase = SitePhase::kNone;
  int frames = 0;
  for (std::uint32_t at = site; at != 0 && frames++ < kLongestChain; at = log_.sites[at].caller) {
    const EmuSite& logged = log_.sites[at];
    const std::string_view package = in_packages(log_.name(logged.file));
    const std::string_view function = last_part(log_.name(logged.function));
    if (logged.line == 0 && base_name(log_.name(logged.file)).starts_with("libtorch") &&
        contains(frame(at).function, "torch::optim::"))
      phase = SitePhase::kOptimizer;
    if (package.starts_with("torch/optim/")) phase = SitePhase::kOptimizer;
    if (package.starts_with("torch/autograd/") &&
        (function == "backward" || function == "_engine_run_backward"))
      phase = SitePhase::kBackward;
    if (package == "torch/nn/modules/module.py" && function == "_call_impl")
      phase = SitePhase::kModuleCall;
    if (phase != SitePhase::kNone) break;
  }
  known = static_cast<int>(phase);
  return phase;
}

}  // namespace forerun::dryrun
