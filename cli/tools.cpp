#include "cli/tools.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/build_facts.h"
#include "cli/options/options.h"

extern char** environ;

namespace forerun::cli {
namespace {

constexpr std::size_t kMaxAnswerBytes = 16u << 20;

// The pointers that execv wants; they live as long as `words`.
std::vector<char*> argv_of(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

std::string why_not_installed(const std::string& program) {
  for (const BuildFacts::Tool& tool : build_facts().tools) {
    if (tool.program == program && !tool.built) return tool.why_not;
  }
  return "build it: cmake --build build --target " + program;
}

std::string read_to_end(int fd) {
  std::string text;
  char buffer[1 << 16];
  while (text.size() < kMaxAnswerBytes) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"lint", "forerun-lint", {}, "checks C++ and Python training code"},
      {"estimate", "forerun-estimate", {}, "predicts the memory and time of a training step"},
      {"verify",
       "forerun-verify",
       {},
       "runs the step in LibTorch and compares it with the prediction"},
      {"dry-run", "forerun-dry-run", {}, "runs any PyTorch program on the emulated GPU"},
      {"probe",
       "forerun-verify",
       {"probe"},
       "says whether CUDA is ready, and how fast a small step is"},
  };
  return table;
}

std::string beside(const std::string& program) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  return problem ? program : (self.parent_path() / program).string();
}

bool is_installed(const std::string& program) {
  return ::access(beside(program).c_str(), X_OK) == 0;
}

int become(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string path = beside(program);
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ::execv(path.c_str(), argv_of(words).data());
  const int reason = errno;
  if (reason == ENOENT) {
    return complain("forerun", error(fmt::format("{} is not beside forerun", program),
                                     why_not_installed(program)));
  }
  return complain("forerun", error(fmt::format("cannot run {}: {}", path, std::strerror(reason))));
}

Answer ask(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  std::vector<std::string> words{beside(program)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, words[0].c_str(), &actions, nullptr, argv_of(words).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Answer answer;
  if (failed == 0) answer.out = read_to_end(ends[0]);
  ::close(ends[0]);  // a child that still writes then ends by SIGPIPE
  if (failed == 0) answer.exit_code = wait_for(child);
  return answer;
}

}  // namespace forerun::cli
