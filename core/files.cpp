#include "core/files.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace forerun {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// Holds back what a user or a scheduler sends to end a run, so that it ends before or after a file
// is written and never between. The signals that were held back arrive when this goes out of scope.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~Uninterrupted() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

Error file_error(const std::string& path, const std::string& what) {
  return error_at({path, {}, {}}, what);
}

Error too_large(const std::string& path, std::int64_t size_bytes, std::int64_t max_bytes) {
  return file_error(
      path, fmt::format("file is too large: {} bytes, at most {} are read", size_bytes, max_bytes));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::int64_t max_bytes) {
  const bool from_stdin = path == "-";
  Descriptor in{from_stdin ? ::dup(STDIN_FILENO)
                           : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (in.fd < 0) return file_error(path, fmt::format("cannot open: {}", std::strerror(errno)));

  struct stat info {};
  if (::fstat(in.fd, &info) != 0)
    return file_error(path, fmt::format("cannot read: {}", std::strerror(errno)));
  if (S_ISDIR(info.st_mode)) return file_error(path, "is a directory, expected a file");
  if (!from_stdin && !S_ISREG(info.st_mode)) return file_error(path, "is not a regular file");
  if (S_ISREG(info.st_mode) && info.st_size > max_bytes)
    return too_large(path, info.st_size, max_bytes);

  std::string text;
  text.reserve(S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0);
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(in.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error(path, fmt::format("cannot read: {}", std::strerror(errno)));
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    const auto size_bytes = static_cast<std::int64_t>(text.size());
    if (size_bytes > max_bytes) return too_large(path, size_bytes, max_bytes);
  }
}

Status write_file(const std::string& path, std::string_view bytes) {
  // A device or a pipe (/dev/stdout) cannot be renamed over; it is written to directly.
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return file_error(path, "cannot write: is a directory");
  const bool in_place = exists && !S_ISREG(info.st_mode);

  std::optional<Uninterrupted> whole;
  if (!in_place) whole.emplace();  // a pipe may wait for its reader, and the user may not want to
  std::string target = in_place ? path : fmt::format("{}.partial-{}", path, ::getpid());
  Descriptor out{in_place ? ::open(target.c_str(), O_WRONLY | O_CLOEXEC)
                          : ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (out.fd < 0) return file_error(path, fmt::format("cannot write: {}", std::strerror(errno)));

  auto fail = [&]() -> Error {
    Error problem = file_error(path, fmt::format("cannot write: {}", std::strerror(errno)));
    if (!in_place) ::unlink(target.c_str());
    return problem;
  };
  while (!bytes.empty()) {
    const ssize_t n = ::write(out.fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (!in_place && ::rename(target.c_str(), path.c_str()) != 0) return fail();
  return Done{};
}

bool is_binary(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0) return true;
    const std::size_t length = byte < 0x80         ? 1
                               : byte >> 5 == 0x6  ? 2
                               : byte >> 4 == 0xe  ? 3
                               : byte >> 3 == 0x1e ? 4
                                                   : 0;
    if (length == 0 || i + length > text.size()) return true;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return true;
    }
    i += length;
  }
  return false;
}

}  // namespace forerun
