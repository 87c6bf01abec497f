#include "estimator/allocator/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "core/units.h"
#include "estimator/allocator/block.h"

namespace forerun::allocator {
namespace {

std::int64_t divisions(std::int64_t bytes, const AllocatorOptions& options) {
  const auto& all = options.roundup_power2_divisions;
  const int power = std::bit_width(static_cast<std::uint64_t>(bytes)) - 1;
  const int first = 20;  // 1 MiB
  return all[static_cast<std::size_t>(
      std::clamp(power - first, 0, static_cast<int>(all.size()) - 1))];
}

// To the next of `steps` equal steps between the powers of two around `bytes`.
std::int64_t round_to_step(std::int64_t bytes, std::int64_t steps) {
  const auto size = static_cast<std::uint64_t>(bytes);
  if (std::has_single_bit(size)) return bytes;
  const std::uint64_t floor = std::bit_floor(size);
  const std::uint64_t step = floor >> (std::bit_width(static_cast<std::uint64_t>(steps)) - 1);
  if (step == 0) return static_cast<std::int64_t>(floor << 1);
  return static_cast<std::int64_t>((size + step - 1) & ~(step - 1));
}

std::int64_t max_split(const AllocatorOptions& options) {
  return options.max_split_size_mb ? *options.max_split_size_mb * kMiB
                                   : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::int64_t round_size(std::int64_t bytes, const AllocatorOptions& options) {
  if (bytes < kMinBlockBytes) return kMinBlockBytes;
  const std::int64_t steps = divisions(bytes, options);
  if (steps > 1 && bytes > kMinBlockBytes * steps) return round_to_step(bytes, steps);
  return (bytes + kMinBlockBytes - 1) / kMinBlockBytes * kMinBlockBytes;
}

std::int64_t segment_size(std::int64_t rounded_bytes, const AllocatorOptions& options) {
  if (rounded_bytes <= kSmallBytes) return kSmallSegmentBytes;
  if (rounded_bytes < kMinLargeBytes) return options.large_segment_size_mb * kMiB;
  return (rounded_bytes + kRoundLargeBytes - 1) / kRoundLargeBytes * kRoundLargeBytes;
}

CachingAllocator::CachingAllocator(std::optional<Memory> memory, const AllocatorOptions& options)
    : memory_(memory),
      options_(options),
      max_split_bytes_(max_split(options)),
      small_(std::make_unique<Pool>()),
      large_(std::make_unique<Pool>()) {
  // The whole of it is no limit, and collects no garbage either (seen in 2.11).
  if (memory && options.per_process_memory_fraction.value_or(1) < 1)
    allowed_bytes_ = static_cast<std::int64_t>(*options.per_process_memory_fraction *
                                               static_cast<double>(memory->total_bytes));
}
CachingAllocator::~CachingAllocator() = default;

std::int64_t CachingAllocator::size_bytes(const Block* block) { return block->size; }
std::uint64_t CachingAllocator::address(const Block* block) { return block->address; }

std::int64_t CachingAllocator::device_free_bytes() const {
  return memory_ ? memory_->capacity_bytes - device_used_bytes_ : 0;
}

bool CachingAllocator::collects_garbage() const {
  return allowed_bytes_ && options_.garbage_collection_threshold > 0;
}

bool CachingAllocator::charge_device(std::int64_t bytes) {
  if (memory_ && bytes > memory_->capacity_bytes - device_used_bytes_) return false;
  device_used_bytes_ += bytes;
  return true;
}

void CachingAllocator::change_reserved(std::int64_t bytes) {
  statistics_.reserved_bytes += bytes;
  statistics_.peak_reserved_bytes =
      std::max(statistics_.peak_reserved_bytes, statistics_.reserved_bytes);
}

CachingAllocator::Block* CachingAllocator::make_block() {
  if (unused_.empty()) return &blocks_.emplace_back();
  Block* block = unused_.back();
  unused_.pop_back();
  *block = Block{};
  return block;
}

// A block that is never split serves only requests of about its size.
bool CachingAllocator::fits_within_limits(const Request& request, const Block* block) const {
  if (request.size < max_split_bytes_) return block->size < max_split_bytes_;
  const std::int64_t rounding =
      options_.max_non_split_rounding_mb.value_or(options_.large_segment_size_mb);
  return block->size < request.size + rounding * kMiB;
}

// Best fit: the smallest unused block that is large enough, the lowest address among equals. What
// could grow counts with the addresses behind it, so that it is left for what really needs them.
CachingAllocator::Block* CachingAllocator::take_unused(const Request& request) {
  Pool& from = pool(request.small);
  if (collects_garbage()) ++from.searches;
  Block wanted;
  wanted.stream = request.stream;
  wanted.size = request.size;
  auto found = from.unused.lower_bound(&wanted);
  if (found == from.unused.end() || (*found)->stream != request.stream) return nullptr;
  if (options_.expandable_segments) {
    const auto room = [](const Block* block) {
      const Block* next = block->next;
      return block->size + (next != nullptr && next->state == State::Unmapped ? next->size : 0);
    };
    for (auto next = std::next(found);
         next != from.unused.end() && (*next)->stream == request.stream &&
         room(*next) < room(*found);
         ++next)
      found = next;
  }
  if (!fits_within_limits(request, *found)) return nullptr;
  Block* block = *found;
  from.unused.erase(found);
  return block;
}

CachingAllocator::Block* CachingAllocator::take_segment(const Request& request) {
  if (!charge_device(round_to_pages(request.segment_bytes))) return nullptr;
  change_reserved(request.segment_bytes);
  ++statistics_.segments;
  Block* block = make_block();
  block->size = request.segment_bytes;
  block->address = addresses_.take(request.segment_bytes);
  block->stream = request.stream;
  block->small = request.small;
  return block;
}

// New memory, without giving any back for it.
CachingAllocator::Block* CachingAllocator::obtain(const Request& request) {
  if (allowed_bytes_ && request.segment_bytes > *allowed_bytes_ - statistics_.reserved_bytes)
    return nullptr;
  return options_.expandable_segments ? expand(request) : take_segment(request);
}

// The front `bytes` of the block are handed out; the rest goes back to the pool.
CachingAllocator::Block* CachingAllocator::split(Block* block, std::int64_t bytes) {
  Block* front = make_block();
  front->size = bytes;
  front->address = block->address;
  front->segment = block->segment;
  front->stream = block->stream;
  front->small = block->small;
  front->previous = block->previous;
  front->next = block;
  if (front->previous != nullptr) front->previous->next = front;
  block->previous = front;
  block->address += static_cast<std::uint64_t>(bytes);
  block->size -= bytes;
  pool(block->small).insert(block);
  return front;
}

bool CachingAllocator::worth_splitting(const Block* block, const Request& request) const {
  const std::int64_t left = block->size - request.size;
  if (request.small || options_.expandable_segments) return left >= kMinBlockBytes;
  return request.size < max_split_bytes_ && left > kSmallBytes;
}

CachingAllocator::Block* CachingAllocator::hand_out(Block* block, const Request& request,
                                                    std::int64_t bytes) {
  if (worth_splitting(block, request)) block = split(block, request.size);
  block->state = State::InUse;
  block->requested = bytes;
  statistics_.allocated_bytes += block->size;
  statistics_.active_bytes += block->size;
  statistics_.requested_bytes += bytes;
  statistics_.peak_allocated_bytes =
      std::max(statistics_.peak_allocated_bytes, statistics_.allocated_bytes);
  return block;
}

CachingAllocator::Block* CachingAllocator::allocate(std::int64_t bytes, StreamId stream) {
  end_waiting();
  const std::int64_t size = round_size(bytes, options_);
  const Request request{size, segment_size(size, options_), stream, size <= kSmallBytes};
  Block* block = take_unused(request);
  if (block != nullptr) return hand_out(block, request, bytes);
  if (collects_garbage()) collect_garbage();
  block = obtain(request);
  if (block == nullptr && release_oversize(request)) block = obtain(request);
  if (block == nullptr) {
    empty_cache();
    ++statistics_.retries;
    block = obtain(request);
  }
  if (block != nullptr) return hand_out(block, request, bytes);
  ++statistics_.out_of_memory;
  return nullptr;
}

// Merges an unused neighbour into the block; with memory or without, as the block is.
bool CachingAllocator::absorb(Block* block, Block* neighbour) {
  if (neighbour == nullptr) return false;
  const bool unmapped = block->state == State::Unmapped;
  if (neighbour->state != (unmapped ? State::Unmapped : State::Unused)) return false;
  if (unmapped)
    pool(block->small).unmapped.erase(neighbour);
  else
    pool(block->small).unused.erase(neighbour);
  if (neighbour == block->previous) {
    block->address = neighbour->address;
    block->previous = neighbour->previous;
    if (block->previous != nullptr) block->previous->next = block;
  } else {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->previous = block;
  }
  block->size += neighbour->size;
  unused_.push_back(neighbour);
  return true;
}

void CachingAllocator::put_back(Block* block) {
  statistics_.active_bytes -= block->size;
  statistics_.requested_bytes -= block->requested;
  absorb(block, block->previous);
  absorb(block, block->next);
  pool(block->small).insert(block);
}

void CachingAllocator::free(Block* block) {
  statistics_.allocated_bytes -= block->size;
  if (!block->read_elsewhere) return put_back(block);
  block->state = State::Waiting;
  waiting_.push_back(block);
}

void CachingAllocator::record_stream(Block* block, StreamId stream) {
  if (stream != block->stream) block->read_elsewhere = true;
}

void CachingAllocator::end_waiting() {
  if (waiting_.empty()) return;
  for (Block* block : waiting_) {
    block->read_elsewhere = false;
    block->state = State::InUse;
    put_back(block);
  }
  waiting_.clear();
}

// Gives a whole segment back; the block is in its pool's set no more when this returns.
void CachingAllocator::release(Block* block) {
  device_used_bytes_ -= round_to_pages(block->size);
  change_reserved(-block->size);
  --statistics_.segments;
  addresses_.give_back(block->address, block->size);
  pool(block->small).unused.erase(block);
  unused_.push_back(block);
}

void CachingAllocator::release_all(Pool& from) {
  std::vector<Block*> expandable;
  for (auto next = from.unused.begin(); next != from.unused.end();) {
    Block* block = *next++;
    if (block->segment != nullptr)
      expandable.push_back(block);
    else if (!block->is_split())
      release(block);
  }
  for (Block* block : expandable) unmap(block);
}

void CachingAllocator::empty_cache() {
  end_waiting();
  release_all(*large_);
  release_all(*small_);
}

// With max_split_size_mb only: gives back one block that is at least as large as what is needed, or
// as many oversize ones, the largest first, as are that large together.
bool CachingAllocator::release_oversize(const Request& request) {
  if (!options_.max_split_size_mb) return false;
  Pool& from = pool(request.small);
  Block wanted;
  wanted.stream = request.stream;
  wanted.size = std::max(request.size, max_split_bytes_);
  auto found = from.unused.lower_bound(&wanted);
  if (found != from.unused.end() && (*found)->stream == request.stream &&
      (*found)->segment == nullptr) {
    release(*found);
    return true;
  }
  std::int64_t released = 0;
  while (released < wanted.size && found != from.unused.begin()) {
    Block* block = *std::prev(found);
    if (block->size < max_split_bytes_ || block->stream != request.stream) break;
    if (block->segment != nullptr) {
      --found;
      continue;
    }
    released += block->size;
    release(block);  // `found` stays: only what is before it goes
  }
  return released >= wanted.size;
}

// Gives whole large segments back, those unused longest first, until the share in use is below the
// threshold or nothing is left to give. Age counts searches of the pool.
void CachingAllocator::collect_garbage() {
  const auto threshold = static_cast<std::int64_t>(options_.garbage_collection_threshold *
                                                   static_cast<double>(*allowed_bytes_));
  const std::int64_t wanted = statistics_.reserved_bytes - threshold;
  if (wanted <= 0) return;
  Pool& from = *large_;
  std::int64_t total_age = 0, count = 0, reclaimed = 0;
  for (const Block* block : from.unused) {
    if (block->is_split()) continue;
    total_age += from.searches - block->searches_before;
    ++count;
  }
  for (bool any = true; any && reclaimed < wanted && count > 0;) {
    const double average = static_cast<double>(total_age) / static_cast<double>(count);
    any = false;
    for (auto next = from.unused.begin(); next != from.unused.end();) {
      Block* block = *next++;
      const std::int64_t age = from.searches - block->searches_before;
      if (block->is_split() || block->segment != nullptr || static_cast<double>(age) < average)
        continue;
      any = true;
      reclaimed += block->size;
      total_age -= age;
      --count;
      release(block);
    }
  }
}

void CachingAllocator::reset_peaks() {
  statistics_.peak_allocated_bytes = statistics_.allocated_bytes;
  statistics_.peak_reserved_bytes = statistics_.reserved_bytes;
}

}  // namespace forerun::allocator
