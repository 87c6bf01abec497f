// Expandable segments: one range of addresses a stream and pool, to which memory is mapped page by
// page as it is needed, and from which whole unused pages can be taken back.
#include <algorithm>

#include "core/units.h"
#include "estimator/allocator/block.h"

namespace forerun::allocator {
namespace {

// Where memory has no end, neither have addresses.
constexpr std::int64_t kEndlessBytes = 1ll << 56;

}  // namespace

CachingAllocator::Block* CachingAllocator::make_expandable_segment(const Request& request) {
  auto segment = std::make_unique<ExpandableSegment>();
  segment->page_bytes = request.small ? kSmallSegmentBytes : options_.large_segment_size_mb * kMiB;
  const std::int64_t wanted =
      memory_ ? memory_->total_bytes + memory_->total_bytes / 8 : kEndlessBytes;
  segment->bytes = round_up(wanted, segment->page_bytes);
  segment->start = addresses_.take(segment->bytes);
  Block* block = make_block();
  block->size = segment->bytes;
  block->address = segment->start;
  block->segment = segment.get();
  block->stream = request.stream;
  block->small = request.small;
  block->state = State::Unmapped;
  pool(request.small).unmapped.insert(block);
  segments_.push_back(std::move(segment));
  return block;
}

// The lowest addresses with room for the request: unmapped ones, or unused memory before them.
CachingAllocator::Block* CachingAllocator::find_expandable(const Request& request) {
  const auto is_free = [](const Block* block) {
    return block != nullptr && (block->state == State::Unused || block->state == State::Unmapped);
  };
  const auto has_room = [&](const Block* block) {
    std::int64_t bytes = 0;
    for (; bytes < request.size && is_free(block); block = block->next) bytes += block->size;
    return bytes >= request.size;
  };
  Pool& from = pool(request.small);
  Block first;
  first.stream = request.stream;
  for (auto next = from.unmapped.lower_bound(&first);
       next != from.unmapped.end() && (*next)->stream == request.stream; ++next) {
    Block* block = is_free((*next)->previous) ? (*next)->previous : *next;
    if (has_room(block)) return block;
  }
  return make_expandable_segment(request);
}

// A new block over part of the addresses of `block`, next to it; the caller shrinks `block`.
CachingAllocator::Block* CachingAllocator::cut_off(Block* block, std::uint64_t address,
                                                   std::int64_t bytes, State state) {
  Block* made = make_block();
  made->size = bytes;
  made->address = address;
  made->segment = block->segment;
  made->stream = block->stream;
  made->small = block->small;
  made->state = state;
  if (address == block->address) {
    made->previous = block->previous;
    made->next = block;
    if (made->previous != nullptr) made->previous->next = made;
    block->previous = made;
  } else {
    made->previous = block;
    made->next = block->next;
    if (made->next != nullptr) made->next->previous = made;
    block->next = made;
  }
  return made;
}

// Puts memory under the first `bytes`, in whole pages; false when there is not enough, and then
// under none of them.
bool CachingAllocator::map(Block* block, std::int64_t bytes) {
  const std::int64_t mapped = round_up(bytes, block->segment->page_bytes);
  const std::int64_t pages = mapped / block->segment->page_bytes;
  if (!charge_device(pages * round_to_pages(block->segment->page_bytes))) return false;
  Pool& into = pool(block->small);
  into.unmapped.erase(block);
  if (mapped < block->size) {
    Block* rest = cut_off(block, block->address + static_cast<std::uint64_t>(mapped),
                          block->size - mapped, State::Unmapped);
    into.unmapped.insert(rest);
    block->size = mapped;
  }
  block->state = State::Unused;
  absorb(block, block->previous);
  absorb(block, block->next);
  into.insert(block);
  change_reserved(mapped);
  return true;
}

// Memory for the request where there are addresses for it; what was mapped before the device was
// full stays mapped.
CachingAllocator::Block* CachingAllocator::expand(const Request& request) {
  Block* block = find_expandable(request);
  if (block->state == State::Unmapped && !map(block, std::min(block->size, request.size)))
    return nullptr;
  while (block->size < request.size) {
    Block* next = block->next;
    if (next == nullptr || !map(next, std::min(request.size - block->size, next->size)))
      return nullptr;
    block = next;  // it has absorbed the one before
  }
  pool(block->small).unused.erase(block);
  return block;
}

// Takes the memory from under the whole pages of an unused block.
void CachingAllocator::unmap(Block* block) {
  const ExpandableSegment& segment = *block->segment;
  const std::int64_t page = segment.page_bytes;
  const auto begin = static_cast<std::int64_t>(block->address - segment.start);
  const std::int64_t from = round_up(begin, page);
  const std::int64_t to = (begin + block->size) / page * page;
  if (from >= to) return;
  Pool& of = pool(block->small);
  of.unused.erase(block);
  if (from > begin) of.insert(cut_off(block, block->address, from - begin, State::Unused));
  if (const std::int64_t after = begin + block->size - to; after > 0)
    of.insert(cut_off(block, segment.start + static_cast<std::uint64_t>(to), after, State::Unused));
  block->address = segment.start + static_cast<std::uint64_t>(from);
  block->size = to - from;
  block->state = State::Unmapped;
  absorb(block, block->previous);
  absorb(block, block->next);
  of.unmapped.insert(block);
  device_used_bytes_ -= (to - from) / page * round_to_pages(page);
  change_reserved(from - to);
  if (!block->is_split()) drop_segment(block);
}

// Nothing of it is mapped any more: its addresses go back too.
void CachingAllocator::drop_segment(Block* block) {
  ExpandableSegment* segment = block->segment;
  addresses_.give_back(segment->start, segment->bytes);
  pool(block->small).unmapped.erase(block);
  unused_.push_back(block);
  std::erase_if(segments_, [&](const auto& one) { return one.get() == segment; });
}

}  // namespace forerun::allocator
