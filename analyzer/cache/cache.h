// What was found in a file before, by what the file holds (docs/decisions/0007-content-cache.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"

namespace forerun::cache {

struct Entry {
  std::vector<Finding> findings;
  std::vector<std::string> notes;          // of the front end
  std::vector<std::string> checked_notes;  // of the rules
  int suppressed = 0;
  std::vector<Location> silencing;  // engine::Checked's
};

// Everything that decides what is found, in order; each part counts by itself, so that ("ab", "c")
// is not ("a", "bc").
using Parts = std::vector<std::string_view>;

class Cache {
 public:
  static constexpr std::uint64_t kMaxBytes = 256ull << 20;

  // Nothing is kept where `folder` is empty. `build` says which rules answer: another build's
  // entries are not found. The folder is made when something is stored.
  Cache(std::string folder, std::string build);

  bool enabled() const { return !folder_.empty(); }
  // Absent when it was never stored, or what is stored is not whole. Safe from several threads, and
  // while other runs write.
  std::optional<Entry> find(const Parts& parts) const;
  void store(const Parts& parts, const Entry& entry);
  // Once a day, after a run that stored something: the entries that were not used for longest go
  // until what is left fits `max_bytes`.
  void prune(std::uint64_t max_bytes = kMaxBytes);
  // Why nothing could be stored; empty when nothing failed. For a note.
  std::string trouble() const;

 private:
  std::string path_of(const Parts& parts) const;

  std::string folder_, build_;
  std::atomic<bool> stored_{false}, failed_{false};
};

// 32 hexadecimal digits of what it holds.
std::string digest(std::string_view bytes);

// The bytes of an entry, and back: anything but whole bytes is no entry. Not for other machines:
// numbers are as this one stores them.
std::string to_bytes(const Entry& entry);
std::optional<Entry> from_bytes(std::string_view bytes);

}  // namespace forerun::cache
