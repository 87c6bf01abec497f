// Memory shared with the processes of a program. It has no name in any file system, so that nothing
// is left behind however the program or the tool ends.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"

namespace forerun::dryrun {

class SharedMemory {
 public:
  // Zeroed and sparse: only what is written takes memory. Errors: the system has no anonymous files
  // (memfd_create), or no room for the mapping.
  static Result<SharedMemory> create(const std::string& name, std::size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // For a variable of the program; opens for processes of the same user while this object lives.
  std::string path() const;
  void* at() const { return mapped_; }

 private:
  SharedMemory(int fd, void* mapped, std::size_t bytes) : fd_(fd), mapped_(mapped), bytes_(bytes) {}
  int fd_;
  void* mapped_;
  std::size_t bytes_;
};

}  // namespace forerun::dryrun
