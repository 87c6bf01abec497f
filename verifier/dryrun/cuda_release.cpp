#include "verifier/dryrun/cuda_release.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forerun::dryrun {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kRuntime = "libcudart.so.";

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

// As execvp looks for it; "" when it is not there.
std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

// What follows "#!", as words; none when the file is no script.
std::vector<std::string> interpreter_of(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  char mark[2] = {};
  std::string line;
  if (!input.read(mark, 2) || mark[0] != '#' || mark[1] != '!' || !std::getline(input, line))
    return {};
  std::istringstream words(line);
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

bool is_python(const std::string& program) {
  return fs::path(program).filename().string().starts_with("python");
}

// The program that runs in the end: the interpreter of a script, also by way of env. A script that
// is called python (pyenv's) finds the real one itself.
std::string program_of(const std::string& name, const std::string& path) {
  const std::string file = find_program(name, path);
  if (file.empty() || is_python(file)) return file;
  const std::vector<std::string> words = interpreter_of(file);
  if (words.empty()) return file;
  if (fs::path(words.front()).filename() != "env") return words.front();
  const auto program = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
    return !word.starts_with("-") && word.find('=') == std::string::npos;
  });
  return program == words.end() ? std::string() : find_program(*program, path);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

// What a program writes to its standard output; "" when it cannot be run.
std::string output_of(const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, argv.front().c_str(), &actions, nullptr,
                                    pointers(argv).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  const std::string text = failure == 0 ? read_all(ends[0]) : std::string();
  ::close(ends[0]);
  if (failure == 0) ::waitpid(child, nullptr, 0);
  return text;
}

// The first "libcudart.so.N" in a text or binary; 0 when there is none.
int runtime_in(std::string_view text) {
  for (std::size_t at = text.find(kRuntime); at != std::string_view::npos;
       at = text.find(kRuntime, at + 1)) {
    int major = 0;
    for (std::size_t i = at + kRuntime.size(); i < text.size() && std::isdigit(text[i]) != 0; ++i)
      major = std::min(major * 10 + (text[i] - '0'), 999);
    if (major > 0) return major;
  }
  return 0;
}

std::optional<CudaRelease> in_python(const std::string& python,
                                     const std::vector<std::string>& environment) {
  const std::string origin = output_of({python, "-c",
                                        "import importlib.util as u; s = u.find_spec('torch'); "
                                        "print(s.origin if s else '', end='')"},
                                       environment);
  const fs::path library = fs::path(origin).parent_path() / "lib" / "libc10_cuda.so";
  std::ifstream input(library, std::ios::binary);
  if (origin.empty() || !input) return std::nullopt;
  std::ostringstream contents;
  contents << input.rdbuf();
  const int major = runtime_in(contents.view());
  if (major == 0) return std::nullopt;
  return CudaRelease{major, library.string()};
}

// The loader a dynamic executable names (PT_INTERP); "" for anything else, which would run if it
// were asked.
std::string loader_of(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!input.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    input.seekg(static_cast<std::streamoff>(header.e_phoff) + i * header.e_phentsize);
    if (!input.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz < 2 || segment.p_filesz > 4096) continue;
    std::string name(segment.p_filesz - 1, '\0');
    input.seekg(static_cast<std::streamoff>(segment.p_offset));
    return input.read(name.data(), static_cast<std::streamsize>(name.size())) ? name : "";
  }
  return {};
}

std::optional<CudaRelease> in_executable(const std::string& file,
                                         const std::vector<std::string>& environment) {
  const std::string loader = loader_of(file);
  if (loader.empty()) return std::nullopt;
  const int major = runtime_in(output_of({loader, "--list", file}, environment));
  if (major == 0) return std::nullopt;
  return CudaRelease{major, file};
}

// Of the libcudart in a folder; 0 when there is none.
int release_in(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const int major = runtime_in(entry->path().filename().string());
    if (major > 0) return major;
  }
  return 0;
}

}  // namespace

std::optional<CudaRelease> wanted_cuda(const std::vector<std::string>& command,
                                       const std::vector<std::string>& environment) {
  const std::string program = program_of(command.front(), value_of(environment, "PATH"));
  if (program.empty()) return std::nullopt;
  return is_python(program) ? in_python(program, environment) : in_executable(program, environment);
}

Result<std::string> emulator_of(const std::string& folder,
                                const std::optional<CudaRelease>& wanted) {
  const int there = release_in(folder);
  if (!wanted || there == wanted->major) return folder;
  const fs::path below = fs::path(folder) / fmt::format("cu{}", wanted->major);
  if (release_in(below) == wanted->major) return below.string();
  return error(
      fmt::format("{} needs {}{}, and the emulator in '{}' is for {}{}", wanted->library, kRuntime,
                  wanted->major, folder, kRuntime, there),
      "configure forerun with -DFORERUN_EMULATOR_SITES=FOLDER, the site-packages folder of that "
      "PyTorch, and build it again");
}

}  // namespace forerun::dryrun
