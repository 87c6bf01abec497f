// Zip archives as PyTorch writes them: entries that are stored, not compressed, found through the
// central directory (PKWARE's APPNOTE 6.3.10, sections 4.3 to 4.5, zip64 included). Only the
// directory and what is asked for are read, whatever the archive's size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "estimator/readers/bytes.h"

namespace forerun::readers {

struct ZipEntry {
  std::string name;
  std::int64_t size = 0;
  std::int64_t header = 0;  // offset of its local header
  std::uint32_t checksum = 0;
  bool stored = true;  // neither compressed nor encrypted
};

class Zip {
 public:
  // Errors: no zip archive, one cut short, a directory that says what cannot be; `path` is for
  // messages.
  static Result<Zip> open(std::unique_ptr<Bytes> bytes, const std::string& path);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  // Errors: larger than `most` bytes, compressed, not whole, or of another checksum.
  Result<std::string> read(const ZipEntry& entry, std::int64_t most) const;

 private:
  Zip(std::unique_ptr<Bytes> bytes, std::string path)
      : bytes_(std::move(bytes)), path_(std::move(path)) {}

  std::unique_ptr<Bytes> bytes_;
  std::string path_;
  std::vector<ZipEntry> entries_;
};

}  // namespace forerun::readers
