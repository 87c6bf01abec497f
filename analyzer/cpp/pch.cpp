#include "analyzer/cpp/pch.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "analyzer/cpp/parse.h"
#include "clang/Basic/Version.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

namespace forerun::cpp {
namespace {

namespace fs = std::filesystem;

// Bumped when what is put into the file changes.
constexpr int kFormat = 1;
constexpr std::size_t kHeaderDepth = 8;
// The headers worth precompiling; a torch header that is none of them is parsed on top of torch.h.
constexpr std::array<const char*, 4> kUmbrellas = {"torch/torch.h", "torch/all.h",
                                                   "torch/extension.h", "torch/script.h"};

std::string include_name(llvm::StringRef line, bool& quoted) {
  line = line.ltrim();
  if (!line.consume_front("#")) return {};
  line = line.ltrim();
  if (!line.consume_front("include")) return {};
  line = line.ltrim();
  quoted = line.starts_with("\"");
  if (!quoted && !line.starts_with("<")) return {};
  line = line.drop_front();
  return line.take_until([](char c) { return c == '"' || c == '>'; }).str();
}

void collect(const fs::path& file, std::size_t depth, std::set<std::string>& seen,
             std::vector<std::string>& names, std::optional<std::string_view> text = std::nullopt) {
  if (depth > kHeaderDepth || !seen.insert(file.lexically_normal().string()).second) return;
  std::unique_ptr<llvm::MemoryBuffer> saved;
  if (!text) {
    auto buffer = llvm::MemoryBuffer::getFile(file.string());
    if (!buffer) return;
    saved = std::move(*buffer);
  }
  llvm::StringRef rest = text ? llvm::StringRef(text->data(), text->size()) : saved->getBuffer();
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    bool quoted = false;
    const std::string name = include_name(line, quoted);
    if (name.empty()) continue;
    if (name.starts_with("torch/") || name.starts_with("ATen/") || name.starts_with("c10/"))
      names.push_back(name);
    for (const fs::path& folder : {file.parent_path(), file.parent_path() / "include",
                                   file.parent_path().parent_path() / "include"}) {
      if (quoted) collect(folder / name, depth + 1, seen, names);
    }
  }
}

// What decides the content, without the input file, its name and where outputs go.
std::vector<std::string> key_arguments(const PchRequest& request) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < request.cc1.size(); ++i) {
    const std::string& argument = request.cc1[i];
    const bool with_value =
        argument == "-main-file-name" || argument == "-o" || argument == "-fdebug-compilation-dir";
    if (with_value) {
      ++i;
      continue;
    }
    if (argument.starts_with("-fdebug-compilation-dir=") ||
        argument.starts_with("-fcoverage-compilation-dir=") || argument.starts_with("-W") ||
        argument == "-fsyntax-only" || argument == request.cc1.back()) {
      continue;
    }
    // The folder of the file itself: quotes find it without, and it would make one entry a folder.
    if (argument == "-I" && i + 1 < request.cc1.size()) {
      ++i;
      if (!request.cc1[i].empty() && fs::exists(fs::path(request.cc1[i]) / "torch")) {
        kept.push_back("-I" + request.cc1[i]);
      }
      continue;
    }
    kept.push_back(argument);
  }
  return kept;
}

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::string key(const PchRequest& request, const std::vector<std::string>& headers) {
  std::string text = fmt::format("{}\n{}\n", kFormat, clang::getClangFullVersion());
  for (const std::string& argument : key_arguments(request)) text += argument + "\n";
  for (const std::string& header : headers) text += header + "\n";
  return hex(llvm::xxh3_64bits(text));
}

std::string checksum(const std::string& path) {
  const auto buffer = llvm::MemoryBuffer::getFile(path, false, /*RequiresNullTerminator=*/false);
  if (!buffer) return {};
  return fmt::format("{} {}", (*buffer)->getBufferSize(),
                     hex(llvm::xxh3_64bits((*buffer)->getBuffer())));
}

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool write_text(const std::string& path, const std::string& text) {
  const std::string beside = fmt::format("{}.{}", path, getpid());
  {
    std::ofstream file(beside, std::ios::binary);
    file << text;
    if (!file.flush()) return false;
  }
  std::error_code failed;
  fs::rename(beside, path, failed);
  return !failed;
}

struct Entry {
  std::string header, pch, sum;
};

// Whole, and not the one that Clang refused.
bool usable(const Entry& entry, const std::string& refused) {
  const std::string written = read_line(entry.sum);
  return !written.empty() && written != refused && written == checksum(entry.pch);
}

bool build(const PchRequest& request, const std::vector<std::string>& headers, const Entry& entry,
           Pch& result) {
  std::string text;
  for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
  // The header keeps its time stamp when it is the same: a precompiled header made from it checks
  // that.
  std::error_code failed;
  const auto present = llvm::MemoryBuffer::getFile(entry.header);
  if ((!present || (*present)->getBuffer() != text) && !write_text(entry.header, text)) {
    result.messages.push_back(fmt::format(
        "precompiled headers are not cached: {} cannot be written", request.cache_path));
    return false;
  }
  if (request.progress) {
    request.progress(fmt::format("precompiling {} (once for these flags, about ten seconds)",
                                 fmt::join(headers, ", ")));
  }
  const std::string beside = fmt::format("{}.{}", entry.pch, getpid());
  const Parsed parsed = write_pch(request.cc1, request.directory, entry.header, beside);
  const auto error = std::find_if(parsed.messages.begin(), parsed.messages.end(),
                                  [](const Message& message) { return message.error; });
  if (parsed.crashed || error != parsed.messages.end() || !fs::exists(beside, failed)) {
    fs::remove(beside, failed);
    result.messages.push_back(
        fmt::format("{} could not be precompiled{}", fmt::join(headers, ", "),
                    error == parsed.messages.end() ? "" : ": " + error->text));
    return false;
  }
  const std::string sum = checksum(beside);
  fs::rename(beside, entry.pch, failed);
  if (failed || !write_text(entry.sum, sum + "\n")) {
    result.messages.push_back(fmt::format(
        "precompiled headers are not cached: {} cannot be written", request.cache_path));
    fs::remove(beside, failed);
    return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> torch_includes(const std::string& file,
                                        std::optional<std::string_view> text) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  collect(file, 0, seen, names, text);
  if (names.empty()) return {};
  std::vector<std::string> headers;
  for (const char* umbrella : kUmbrellas) {
    if (std::find(names.begin(), names.end(), umbrella) != names.end())
      headers.emplace_back(umbrella);
  }
  if (headers.empty()) headers.emplace_back(kUmbrellas.front());
  return headers;
}

Pch find_or_build_pch(const PchRequest& request) {
  Pch result;
  if (request.cache_path.empty()) return result;
  const std::vector<std::string> headers = torch_includes(request.file, request.text);
  if (headers.empty()) return result;
  std::error_code failed;
  fs::create_directories(request.cache_path, failed);
  const std::string stem =
      (fs::path(request.cache_path) / ("torch-" + key(request, headers))).string();
  const Entry entry{stem + ".h", stem + ".pch", stem + ".sum"};
  const std::string refused = request.rebuild ? read_line(entry.sum) : "";
  if (usable(entry, refused)) {
    result.path = entry.pch;
    return result;
  }
  // One of several threads builds; the others then find what it built.
  static std::mutex building;
  const std::lock_guard lock(building);
  if (usable(entry, refused)) {
    result.path = entry.pch;
    return result;
  }
  if (!request.rebuild && !read_line(entry.sum).empty()) {
    result.messages.push_back(fmt::format("{} is damaged; built again", entry.pch));
  }
  if (build(request, headers, entry, result)) result.path = entry.pch;
  return result;
}

}  // namespace forerun::cpp
