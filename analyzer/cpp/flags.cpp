#include "analyzer/cpp/flags.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "analyzer/cpp/database.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/MemoryBuffer.h"

namespace forerun::cpp {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  return failed ? path : whole.lexically_normal().string();
}

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

bool is_header(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension == ".h" || extension == ".hpp" || extension == ".hh" || extension == ".hxx" ||
         extension == ".cuh";
}

bool is_cuda(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension == ".cu" || extension == ".cuh";
}

// The host's side alone, without a toolkit: its own words for a compiler are spelled out, which
// crt/host_defines.h would do.
void add_cuda(std::vector<std::string>& arguments) {
  arguments.insert(arguments.end(), {"--cuda-host-only", "-nocudainc", "-nocudalib"});
  for (const char* word : {"global", "device", "host", "shared", "constant"})
    arguments.push_back(fmt::format("-D__{0}__=__attribute__(({0}))", word));
}

// A header is parsed as the C++ source it would be part of.
void add_file(std::vector<std::string>& arguments, const std::string& path) {
  if (is_header(path)) {
    arguments.push_back("-x");
    arguments.push_back(is_cuda(path) ? "cuda" : "c++");
  }
  arguments.push_back("--");
  arguments.push_back(path);
}

void add_resource_folder(std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-resource-dir")) return;
  }
  for (const char* folder :
       {FORERUN_CLANG_RESOURCE_DIR, "/usr/lib/llvm-19/lib/clang/19", "/usr/lib/clang/19",
        "/usr/local/lib/clang/19", "/usr/lib64/clang/19"}) {
    if (!is_there(fs::path(folder) / "include" / "stddef.h")) continue;
    arguments.insert(arguments.begin() + 1, {"-resource-dir", folder});
    return;
  }
}

// Whose flags suit a CUDA file that no database lists: Clang's guess by extension knows .cpp, and
// takes any file at all, a C file too, for one it does not know.
std::string cpp_twin(const std::string& path) {
  return is_cuda(path) ? fs::path(path).replace_extension(".cpp").string() : path;
}

// An entry of a database, made ready for parsing `path` only; `own`: the entry is the path's.
CommandLine from_entry(const clang::tooling::CompileCommand& entry, const std::string& path,
                       bool own) {
  using namespace clang::tooling;
  CommandLine line;
  line.directory = entry.Directory;
  std::vector<std::string> arguments =
      getClangStripOutputAdjuster()(entry.CommandLine, entry.Filename);
  arguments = getClangStripDependencyFileAdjuster()(arguments, entry.Filename);
  arguments = getClangSyntaxOnlyAdjuster()(arguments, entry.Filename);
  const std::string listed = absolute((fs::path(entry.Directory) / entry.Filename).string());
  for (const std::string& argument : arguments) {
    if (argument == entry.Filename || argument == "--" || argument == "-c") continue;
    if (!argument.starts_with("-") &&
        absolute((fs::path(entry.Directory) / argument).string()) == listed)
      continue;
    line.arguments.push_back(argument);
  }
  if (is_cuda(path) && !own) add_cuda(line.arguments);
  add_file(line.arguments, absolute(path));
  return line;
}

std::string shown_folder(const std::string& database_path) {
  std::error_code failed;
  const fs::path folder = fs::path(database_path).parent_path();
  const fs::path relative = fs::relative(folder, fs::current_path(failed), failed);
  if (failed || relative.empty() || relative.string().starts_with("..")) return folder.string();
  return relative.string();
}

// Headers are rarely listed themselves; a source file that is not listed is no part of that build,
// unless -p says so.
std::optional<CommandLine> from_database(const DatabaseFile& database, const std::string& path,
                                         bool named) {
  const std::string whole = absolute(path);
  auto entries = database.exact->getCompileCommands(whole);
  const bool listed = !entries.empty();
  if (!listed && (named || is_header(path)))
    entries = database.inferred->getCompileCommands(cpp_twin(whole));
  if (entries.empty()) return std::nullopt;
  CommandLine line = from_entry(entries.front(), path, /*own=*/listed);
  line.from = fmt::format("compile_commands.json in {}", shown_folder(database.path));
  if (!listed) {
    line.messages.push_back(
        fmt::format("{}: not in {}; parsed with the flags of the nearest file there", path,
                    fs::path(database.path).filename().string()));
  }
  return line;
}

Result<std::optional<CommandLine>> from_folder_above(const std::string& path) {
  for (fs::path folder = fs::path(absolute(path)).parent_path();; folder = folder.parent_path()) {
    for (const fs::path& candidate :
         {folder / "compile_commands.json", folder / "build" / "compile_commands.json"}) {
      if (!is_there(candidate)) continue;
      auto database = read_database(candidate.string());
      if (!database) return database.error();
      if (auto line = from_database(*database, path, /*named=*/false)) return line;
    }
    if (folder == folder.parent_path()) return std::optional<CommandLine>();
  }
}

std::optional<int> macro_value(const std::string& text, const std::string& name) {
  const auto at = text.find("#define " + name + " ");
  if (at == std::string::npos) return std::nullopt;
  return std::atoi(text.c_str() + at + name.size() + 9);
}

void read_version(const fs::path& include, TorchHeaders& headers) {
  for (const fs::path& file : {include / "torch/headeronly/version.h",
                               include / "torch/csrc/api/include/torch/version.h"}) {
    const auto buffer = llvm::MemoryBuffer::getFile(file.string());
    if (!buffer) continue;
    const std::string text = (*buffer)->getBuffer().str();
    const auto major = macro_value(text, "TORCH_VERSION_MAJOR");
    if (!major) continue;
    headers.major = *major;
    headers.minor = macro_value(text, "TORCH_VERSION_MINOR").value_or(0);
    return;
  }
}

// PyPI's CUDA wheels keep CUDA's own headers beside torch: <ATen/cuda/CUDAContext.h> includes them.
void add_cuda_headers(const fs::path& include, TorchHeaders& headers) {
  std::error_code failed;
  const fs::path nvidia = include.parent_path().parent_path() / "nvidia";
  std::vector<std::string> folders;
  for (const auto& package : fs::directory_iterator(nvidia, failed)) {
    if (is_there(package.path() / "include"))
      folders.push_back((package.path() / "include").string());
  }
  std::sort(folders.begin(), folders.end());
  headers.include_folders.insert(headers.include_folders.end(), folders.begin(), folders.end());
}

std::optional<TorchHeaders> torch_in(const fs::path& root) {
  TorchHeaders headers;
  headers.found_in = root.string();
  for (const fs::path& include : {root / "torch" / "include", root / "include", root}) {
    const fs::path api = include / "torch/csrc/api/include";
    if (!is_there(api / "torch" / "torch.h")) continue;
    headers.include_folders = {include.string(), api.string()};
    read_version(include, headers);
    add_cuda_headers(include, headers);
    return headers;
  }
  if (!is_there(root / "torch" / "forerun_declarations.h")) return std::nullopt;
  headers.include_folders = {root.string()};
  return headers;
}

CommandLine with_torch(const TorchHeaders& torch, const std::string& path) {
  CommandLine line;
  // LibTorch's headers need C++20 from 2.14 on.
  const bool modern = torch.major > 2 || (torch.major == 2 && torch.minor >= 14);
  line.arguments = {"clang++", "-fsyntax-only", modern ? "-std=c++20" : "-std=c++17"};
  for (const std::string& folder : torch.include_folders) {
    line.arguments.push_back("-isystem");
    line.arguments.push_back(folder);
  }
  const fs::path folder = fs::path(absolute(path)).parent_path();
  line.arguments.push_back("-I" + folder.string());
  for (const fs::path& include : {folder / "include", folder.parent_path() / "include"}) {
    if (is_there(include)) line.arguments.push_back("-I" + include.string());
  }
  if (is_cuda(path)) add_cuda(line.arguments);
  add_file(line.arguments, path);
  line.from = torch.major == 0 ? fmt::format("flags found: declarations in {}", torch.found_in)
                               : fmt::format("flags found: LibTorch {}.{} in {}", torch.major,
                                             torch.minor, torch.found_in);
  return line;
}

Result<CommandLine> found_line(const std::string& path, const Options& options) {
  if (!options.flags.empty()) {
    CommandLine line;
    line.arguments = {"clang++", "-fsyntax-only"};
    line.arguments.insert(line.arguments.end(), options.flags.begin(), options.flags.end());
    add_file(line.arguments, path);
    line.from = "flags given";
    return line;
  }
  if (!options.build_path.empty()) {
    auto database =
        read_database((fs::path(absolute(options.build_path)) / "compile_commands.json").string());
    if (!database) return database.error();
    if (auto line = from_database(*database, path, /*named=*/true)) return *line;
    return error_at({path, {}, {}},
                    fmt::format("{} lists no file whose flags could be used", database->path));
  }
  auto above = from_folder_above(path);
  if (!above) return above.error();
  if (*above) return **above;
  const auto torch = find_torch(options.torch_roots);
  if (!torch.empty()) return with_torch(torch.front(), path);
  return error_at(
      {path, {}, {}},
      "no compile_commands.json above it lists it and LibTorch's headers were not found",
      "-p BUILD, flags after --, or FORERUN_TORCH naming a site-packages or libtorch folder");
}

}  // namespace

std::vector<TorchHeaders> find_torch(const std::vector<std::string>& roots) {
  std::vector<TorchHeaders> found;
  for (const std::string& root : roots) {
    if (root.empty()) continue;
    if (auto headers = torch_in(absolute(root))) found.push_back(*headers);
  }
  return found;
}

Result<CommandLine> command_line(const std::string& path, const Options& options) {
  auto line = found_line(path, options);
  if (!line) return line;
  // Before "--" and the file, so that they are options and come last.
  const auto place = std::find(line->arguments.begin(), line->arguments.end(), "--");
  line->arguments.insert(place, options.extra_args.begin(), options.extra_args.end());
  add_resource_folder(line->arguments);
  return line;
}

}  // namespace forerun::cpp
