#include "verifier/dryrun/shared_memory.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace forerun::dryrun {

Result<SharedMemory> SharedMemory::create(const std::string& name, std::size_t bytes) {
  const auto failed = [&name](int reason) {
    return error(fmt::format("cannot make {}: {}", name, std::strerror(reason)));
  };
  const int fd = ::memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd < 0) return failed(errno);
  void* mapped = ::ftruncate(fd, static_cast<off_t>(bytes)) != 0
                     ? MAP_FAILED
                     : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    const int reason = errno;
    ::close(fd);
    return failed(reason);
  }
  return SharedMemory(fd, mapped, bytes);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      bytes_(other.bytes_) {}

SharedMemory::~SharedMemory() {
  if (mapped_ != nullptr) ::munmap(mapped_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

std::string SharedMemory::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_); }

}  // namespace forerun::dryrun
