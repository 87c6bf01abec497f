#include "verifier/dryrun/process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forerun::dryrun {
namespace {

volatile std::sig_atomic_t running_program = 0;

volatile std::sig_atomic_t interrupts = 0;

void pass_on(int signal) {
  if (running_program > 0) ::kill(static_cast<pid_t>(running_program), signal);
}

// A terminal sends SIGINT to the program as well. One that does not end at the first is ended at
// the second.
void interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1) pass_on(SIGKILL);
}

// Handlers for the time of one wait. SIGTERM and SIGHUP are held back until there is a program to
// pass them on to.
class Signals {
 public:
  Signals() {
    sigset_t held;
    ::sigemptyset(&held);
    ::sigaddset(&held, SIGTERM);
    ::sigaddset(&held, SIGHUP);
    ::sigprocmask(SIG_BLOCK, &held, &mask_before_);
    interrupts = 0;
    struct sigaction count {};
    count.sa_handler = interrupt;
    count.sa_flags = SA_RESTART;
    struct sigaction forward {};
    forward.sa_handler = pass_on;
    forward.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &count, &before_[0]);
    ::sigaction(SIGTERM, &forward, &before_[1]);
    ::sigaction(SIGHUP, &forward, &before_[2]);
  }
  ~Signals() { restore(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  void deliver() const { ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }
  void restore() const {
    ::sigaction(SIGINT, &before_[0], nullptr);
    ::sigaction(SIGTERM, &before_[1], nullptr);
    ::sigaction(SIGHUP, &before_[2], nullptr);
    deliver();
  }

 private:
  sigset_t mask_before_;
  struct sigaction before_[3];
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// In the child. On failure the reason goes through `failure`, which a successful start closes.
[[noreturn]] void start(const std::vector<char*>& argv, const std::vector<char*>& environment,
                        int failure) {
  ::signal(SIGPIPE, SIG_DFL);  // the tool ignores it; the program expects what a shell gives
  ::execvpe(argv[0], argv.data(), environment.data());
  const int reason = errno;
  const ssize_t ignored = ::write(failure, &reason, sizeof reason);
  static_cast<void>(ignored);
  ::_exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<int> run_program(const std::vector<std::string>& argv,
                        const std::vector<std::string>& environment) {
  const std::vector<char*> words = pointers(argv), variables = pointers(environment);
  int failure[2];
  if (::pipe2(failure, O_CLOEXEC) != 0)
    return error(fmt::format("cannot start a program: {}", std::strerror(errno)));
  const Signals signals;
  const pid_t child = ::fork();
  if (child == 0) {
    signals.restore();
    start(words, variables, failure[1]);
  }
  const int fork_reason = errno;
  ::close(failure[1]);
  int reason = child < 0 ? fork_reason : 0;
  if (child > 0) {
    running_program = child;
    signals.deliver();
    while (::read(failure[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
  }
  ::close(failure[0]);
  const int status = child > 0 ? wait_for(child) : 0;
  running_program = 0;
  if (reason != 0) return error(fmt::format("cannot run '{}': {}", argv[0], std::strerror(reason)));
  return status;
}

}  // namespace forerun::dryrun
