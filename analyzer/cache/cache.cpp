#include "analyzer/cache/cache.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include "core/files.h"

namespace forerun::cache {
namespace {

namespace fs = std::filesystem;
using Clock = fs::file_time_type::clock;

constexpr std::int64_t kMaxEntryBytes = 16ll << 20;
// How old a use may look before it is written down again.
constexpr auto kDay = std::chrono::hours(24);

bool is_older_than_a_day(const fs::path& path) {
  std::error_code failed;
  const auto written = fs::last_write_time(path, failed);
  return failed || Clock::now() - written > kDay;
}

}  // namespace

std::string digest(std::string_view bytes) {
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Cache::Cache(std::string folder, std::string build)
    : folder_(std::move(folder)), build_(std::move(build)) {
  if (!folder_.empty()) folder_ += "/findings";
}

std::string Cache::path_of(const Parts& parts) const {
  std::string all = fmt::format("{}:{}", build_.size(), build_);
  for (const std::string_view part : parts) {
    all += fmt::format("{}:", part.size());
    all += part;
  }
  const std::string name = digest(all);
  return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2);
}

std::optional<Entry> Cache::find(const Parts& parts) const {
  if (!enabled()) return std::nullopt;
  const std::string path = path_of(parts);
  const auto bytes = read_file(path, kMaxEntryBytes);
  if (!bytes) return std::nullopt;
  auto entry = from_bytes(*bytes);
  std::error_code ignored;
  if (entry && is_older_than_a_day(path)) fs::last_write_time(path, Clock::now(), ignored);
  return entry;
}

void Cache::store(const Parts& parts, const Entry& entry) {
  if (!enabled() || failed_) return;
  const fs::path path = path_of(parts);
  const std::string bytes = to_bytes(entry);
  if (bytes.size() > static_cast<std::size_t>(kMaxEntryBytes)) return;
  Status written = write_file(path.string(), bytes);
  if (!written) {  // the first one of its folder
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    written = failed ? std::move(written) : write_file(path.string(), bytes);
  }
  (written ? stored_ : failed_) = true;
}

void Cache::prune(std::uint64_t max_bytes) {
  const fs::path mark = fs::path(folder_) / "pruned";
  if (!stored_ || !is_older_than_a_day(mark)) return;
  if (!write_file(mark.string(), "")) return;
  struct Kept {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Kept> all;
  std::uint64_t total = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder_, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;  // another run may prune as well
    if (!at->is_regular_file(gone) || gone || at->path() == mark) continue;
    const std::uint64_t bytes = at->file_size(gone);
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    // A small file takes a block.
    all.push_back({used, std::max<std::uint64_t>(bytes, 4096), at->path()});
    total += all.back().bytes;
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (const Kept& one : all) {
    if (total <= max_bytes) return;
    fs::remove(one.path, failed);
    total -= one.bytes;
  }
}

std::string Cache::trouble() const {
  if (!failed_) return "";
  return fmt::format("nothing can be kept in {}: every run checks all files anew", folder_);
}

}  // namespace forerun::cache
