#include <cstring>

#include <llvm/Support/xxhash.h>

#include "analyzer/cache/cache.h"

namespace forerun::cache {
namespace {

constexpr std::string_view kMagic = "forerun1";

std::uint64_t checksum(std::string_view bytes) {
  return llvm::xxh3_64bits(llvm::StringRef(bytes.data(), bytes.size()));
}

class Writer {
 public:
  void number(std::uint64_t value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof raw);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes += value;
  }
  template <class Items, class Write>
  void list(const Items& items, Write write) {
    number(items.size());
    for (const auto& item : items) write(item);
  }
  void position(const Position& at) {
    number(static_cast<std::uint64_t>(at.line));
    number(static_cast<std::uint64_t>(at.column));
  }
  void location(const Location& at) {
    text(at.file);
    position(at.begin);
    position(at.end);
    number(static_cast<std::uint64_t>(at.cell));
  }
  std::string bytes;
};

// Reads nothing beyond the end; `broken` says that it would have had to.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) return broken = true, 0;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) return broken = true, std::string();
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  template <class Item, class Read>
  std::vector<Item> list(Read read) {
    std::vector<Item> items;
    for (std::uint64_t left = number(); left > 0 && !broken; --left) items.push_back(read());
    return items;
  }
  int integer() { return static_cast<int>(number()); }
  Position position() {
    Position at;
    at.line = integer();
    at.column = integer();
    return at;
  }
  Location location() {
    Location at;
    at.file = text();
    at.begin = position();
    at.end = position();
    at.cell = integer();
    return at;
  }
  bool at_end() const { return rest_.empty(); }
  bool broken = false;

 private:
  std::string_view rest_;
};

void write(Writer& to, const Finding& finding) {
  to.text(finding.rule_id);
  to.number(static_cast<std::uint64_t>(finding.level));
  to.location(finding.location);
  to.text(finding.message);
  to.list(finding.related, [&](const Finding::Related& one) {
    to.location(one.location);
    to.text(one.message);
  });
  to.text(finding.help);
  to.list(finding.fixes, [&](const Fix& one) {
    to.text(one.description);
    to.location(one.where);
    to.text(one.replacement);
  });
}

Finding read_finding(Reader& from) {
  Finding finding;
  finding.rule_id = from.text();
  const std::uint64_t level = from.number();
  from.broken |= level > static_cast<std::uint64_t>(Level::Error);
  finding.level = static_cast<Level>(level);
  finding.location = from.location();
  finding.message = from.text();
  finding.related = from.list<Finding::Related>([&] {
    Finding::Related one;
    one.location = from.location();
    one.message = from.text();
    return one;
  });
  finding.help = from.text();
  finding.fixes = from.list<Fix>([&] {
    Fix one;
    one.description = from.text();
    one.where = from.location();
    one.replacement = from.text();
    return one;
  });
  return finding;
}

}  // namespace

std::string to_bytes(const Entry& entry) {
  Writer to;
  auto texts = [&](const std::vector<std::string>& all) {
    to.list(all, [&](const std::string& one) { to.text(one); });
  };
  to.list(entry.findings, [&](const Finding& one) { write(to, one); });
  texts(entry.notes);
  texts(entry.checked_notes);
  to.number(static_cast<std::uint64_t>(entry.suppressed));
  to.list(entry.silencing, [&](const Location& one) { to.location(one); });
  Writer head;
  head.bytes = kMagic;
  head.number(checksum(to.bytes));
  return head.bytes + to.bytes;
}

std::optional<Entry> from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  const std::uint64_t sum = Reader(bytes).number();
  if (bytes.size() < sizeof sum) return std::nullopt;
  bytes.remove_prefix(sizeof sum);
  if (checksum(bytes) != sum) return std::nullopt;
  Reader from(bytes);
  Entry entry;
  entry.findings = from.list<Finding>([&] { return read_finding(from); });
  entry.notes = from.list<std::string>([&] { return from.text(); });
  entry.checked_notes = from.list<std::string>([&] { return from.text(); });
  entry.suppressed = from.integer();
  entry.silencing = from.list<Location>([&] { return from.location(); });
  if (from.broken || !from.at_end()) return std::nullopt;
  return entry;
}

}  // namespace forerun::cache
