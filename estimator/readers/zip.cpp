#include "estimator/readers/zip.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace forerun::readers {
namespace {

constexpr std::int64_t kMaxDirectoryBytes = 64ll << 20;
constexpr std::int64_t kEndBytes = 22;
constexpr std::int64_t kMostComment = 0xFFFF;
constexpr std::int64_t kLocatorBytes = 20;
constexpr std::int64_t kEnd64Bytes = 56;
constexpr std::int64_t kCentralBytes = 46;
constexpr std::int64_t kLocalBytes = 30;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  // "see the zip64 record"

// A little-endian number; the caller has checked that it is there.
std::uint64_t number(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t made = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    made |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[at + i])) << (8 * i);
  return made;
}

bool begins(std::string_view text, std::uint32_t signature) {
  return text.size() >= 4 && number(text, 0, 4) == signature;
}

std::uint32_t crc32(std::string_view text) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0u);
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t sum = 0xFFFFFFFFu;
  for (const char c : text) sum = (sum >> 8) ^ kTable[(sum ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~sum;
}

struct Directory {
  std::uint64_t offset = 0, size = 0, entries = 0;
};

class Reader {
 public:
  Reader(Bytes& bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  Error broken(const std::string& what) const {
    return error_at({path_, {}, {}}, "zip: " + what, "an archive that torch.export.save wrote");
  }

  Result<std::string> read(std::uint64_t offset, std::int64_t length) const {
    const auto size = static_cast<std::uint64_t>(bytes_.size());
    if (offset > size || static_cast<std::uint64_t>(length) > size - offset)
      return broken(
          fmt::format("{} bytes at {} are asked for, but it has {}", length, offset, size));
    return bytes_.read(static_cast<std::int64_t>(offset), length);
  }

  Result<Directory> directory() const {
    const std::int64_t size = bytes_.size();
    if (size < kEndBytes) return broken(fmt::format("{} bytes are no archive", size));
    const std::int64_t tail = std::min(size, kEndBytes + kMostComment);
    const auto text = read(static_cast<std::uint64_t>(size - tail), tail);
    if (!text) return text.error();
    for (std::int64_t at = tail - kEndBytes; at >= 0; --at) {
      const std::string_view end = std::string_view(*text).substr(static_cast<std::size_t>(at));
      if (!begins(end, 0x06054b50) ||
          number(end, 20, 2) != static_cast<std::uint64_t>(tail - at - kEndBytes))
        continue;
      return directory(end, size - tail + at);
    }
    return broken("no end of its directory: no zip archive, or one that was cut short");
  }

  Result<std::vector<ZipEntry>> entries(const Directory& of) const {
    if (of.size > static_cast<std::uint64_t>(kMaxDirectoryBytes))
      return broken(fmt::format("a directory of {} bytes", of.size));
    const auto text = read(of.offset, static_cast<std::int64_t>(of.size));
    if (!text) return text.error();
    std::vector<ZipEntry> made;
    std::string_view left = *text;
    while (made.size() < of.entries) {
      auto one = entry(left);
      if (!one) return one.error();
      made.push_back(std::move(*one));
    }
    return made;
  }

 private:
  Result<Directory> directory(std::string_view end, std::int64_t at) const {
    Directory made{number(end, 16, 4), number(end, 12, 4), number(end, 10, 2)};
    if (made.offset != kIn64 && made.size != kIn64 && made.entries != 0xFFFF) return made;
    if (at < kLocatorBytes) return broken("its zip64 record is missing");
    const auto locator = read(static_cast<std::uint64_t>(at - kLocatorBytes), kLocatorBytes);
    if (!locator) return locator.error();
    if (!begins(*locator, 0x07064b50)) return broken("its zip64 record is missing");
    const auto record = read(number(*locator, 8, 8), kEnd64Bytes);
    if (!record) return record.error();
    if (!begins(*record, 0x06064b50)) return broken("its zip64 record is damaged");
    return Directory{number(*record, 48, 8), number(*record, 40, 8), number(*record, 32, 8)};
  }

  // Takes the first entry off `left`.
  Result<ZipEntry> entry(std::string_view& left) const {
    if (left.size() < kCentralBytes || !begins(left, 0x02014b50))
      return broken("its directory is damaged");
    const std::size_t name = number(left, 28, 2), extra = number(left, 30, 2);
    const std::size_t whole = kCentralBytes + name + extra + number(left, 32, 2);
    if (left.size() < whole) return broken("its directory is cut short");
    ZipEntry made;
    made.name = left.substr(kCentralBytes, name);
    made.checksum = static_cast<std::uint32_t>(number(left, 16, 4));
    made.stored = number(left, 10, 2) == 0 && (number(left, 8, 2) & 1) == 0;
    std::uint64_t size = number(left, 24, 4), header = number(left, 42, 4);
    const bool stored_large = number(left, 20, 4) == kIn64;
    const Status large =
        zip64(left.substr(kCentralBytes + name, extra), size, header, stored_large);
    if (!large) return large.error();
    const auto all = static_cast<std::uint64_t>(bytes_.size());
    if (size > all || header > all)
      return broken(fmt::format("'{}' is said to lie beyond its end", made.name));
    made.size = static_cast<std::int64_t>(size);
    made.header = static_cast<std::int64_t>(header);
    left.remove_prefix(whole);
    return made;
  }

  // The extra field 1 holds, in this order, those of size, stored size and offset that need it.
  Status zip64(std::string_view extra, std::uint64_t& size, std::uint64_t& header,
               bool stored_large) const {
    if (size != kIn64 && header != kIn64 && !stored_large) return Done{};
    while (extra.size() >= 4) {
      const std::size_t length = number(extra, 2, 2);
      if (extra.size() < 4 + length) break;
      if (number(extra, 0, 2) != 1) {
        extra.remove_prefix(4 + length);
        continue;
      }
      std::string_view field = extra.substr(4, length);
      const auto take = [&](std::uint64_t& into) {
        if (field.size() < 8) return false;
        into = number(field, 0, 8);
        field.remove_prefix(8);
        return true;
      };
      std::uint64_t stored = 0;
      if (size == kIn64 && !take(size)) break;
      if (stored_large && !take(stored)) break;
      if (header == kIn64 && !take(header)) break;
      return Done{};
    }
    return broken("a zip64 field is missing");
  }

  Bytes& bytes_;
  const std::string& path_;
};

}  // namespace

Result<Zip> Zip::open(std::unique_ptr<Bytes> bytes, const std::string& path) {
  Zip made(std::move(bytes), path);
  const Reader reader(*made.bytes_, path);
  const auto directory = reader.directory();
  if (!directory) return directory.error();
  auto entries = reader.entries(*directory);
  if (!entries) return entries.error();
  made.entries_ = std::move(*entries);
  return made;
}

Result<std::string> Zip::read(const ZipEntry& entry, std::int64_t most) const {
  const Reader reader(*bytes_, path_);
  if (!entry.stored)
    return reader.broken(fmt::format("'{}' is compressed or encrypted", entry.name));
  if (entry.size > most)
    return reader.broken(
        fmt::format("'{}' has {} bytes, more than {}", entry.name, entry.size, most));
  const auto local = reader.read(static_cast<std::uint64_t>(entry.header), kLocalBytes);
  if (!local) return local.error();
  if (!begins(*local, 0x04034b50))
    return reader.broken(fmt::format("'{}' does not begin where the directory says", entry.name));
  const std::uint64_t begin = static_cast<std::uint64_t>(entry.header + kLocalBytes) +
                              number(*local, 26, 2) + number(*local, 28, 2);
  auto text = reader.read(begin, entry.size);
  if (!text) return text.error();
  if (crc32(*text) != entry.checksum)
    return reader.broken(fmt::format("'{}' is damaged: its checksum differs", entry.name));
  return text;
}

}  // namespace forerun::readers
