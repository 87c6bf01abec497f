#include "tests/support/golden.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forerun::test {
namespace {

std::string first_difference(const std::string& expected, const std::string& actual) {
  std::istringstream a(expected), b(actual);
  std::string left, right;
  for (int line = 1;; ++line) {
    const bool more_left = static_cast<bool>(std::getline(a, left));
    const bool more_right = static_cast<bool>(std::getline(b, right));
    if (!more_left && !more_right) return "no line differs (line endings?)";
    if (more_left && more_right && left == right) continue;
    return "line " + std::to_string(line) + "\n  expected: " + (more_left ? left : "<end>") +
           "\n  actual:   " + (more_right ? right : "<end>");
  }
}

void drain(int fd, std::string& into, bool& open) {
  char buffer[1 << 16];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n > 0)
    into.append(buffer, static_cast<std::size_t>(n));
  else
    open = false;
}

}  // namespace

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_golden(const std::string& path, const std::string& actual) {
  if (std::getenv("FORERUN_BLESS") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path))
      << path << " does not exist; FORERUN_BLESS=1 writes it";
  const std::string expected = read_all(path);
  EXPECT_TRUE(expected == actual) << path << ": " << first_difference(expected, actual)
                                  << "\nFORERUN_BLESS=1 rewrites it";
}

CommandResult run_command(const std::vector<std::string>& argv, const std::string& input,
                          double timeout_s) {
  int in[2], out[2], err[2];
  if (::pipe(in) != 0 || ::pipe(out) != 0 || ::pipe(err) != 0)
    throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    for (const int fd : {in[0], in[1], out[0], out[1], err[0], err[1]}) ::close(fd);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  for (const int fd : {in[0], out[1], err[1]}) ::close(fd);
  ::signal(SIGPIPE, SIG_IGN);
  if (!input.empty() &&
      ::write(in[1], input.data(), input.size()) < 0) { /* the child may not read */
  }
  ::close(in[1]);

  CommandResult result;
  bool out_open = true, err_open = true;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (out_open || err_open) {
    pollfd fds[2] = {{out_open ? out[0] : -1, POLLIN, 0}, {err_open ? err[0] : -1, POLLIN, 0}};
    const auto left =
        std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      ::kill(child, SIGKILL);
      break;
    }
    ::poll(fds, 2, static_cast<int>(left * 1000) + 1);
    if (fds[0].revents != 0) drain(out[0], result.out, out_open);
    if (fds[1].revents != 0) drain(err[0], result.err, err_open);
  }
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "forerun-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path target = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(target.parent_path());
  std::ofstream(target, std::ios::binary) << text;
  return target.string();
}

}  // namespace forerun::test
