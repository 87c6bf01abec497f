// An ordered map of disjoint address ranges: a treap keyed by start, with the largest size of each
// subtree, so that find, insert, erase and first fit are O(log n). Not synchronised; its owner
// holds a lock.
#pragma once

#include <stdint.h>

typedef struct EmuRange {
  uint64_t start, size;
  uint64_t tag;   // the owner's
  uint64_t tag2;  // the owner's
  struct EmuRange *left, *right;
  uint64_t largest;  // size of the largest range in this subtree
  uint32_t priority;
} EmuRange;

typedef struct {
  EmuRange* root;
  uint32_t random;  // state of the generator of priorities; any value
} EmuRanges;

// Null when memory is short. The range must not overlap one that is there.
EmuRange* emu_ranges_insert(EmuRanges* ranges, uint64_t start, uint64_t size);
// Removes the range that starts at `start`; false when there is none.
int emu_ranges_erase(EmuRanges* ranges, uint64_t start);
// The range that holds `address`, or null.
EmuRange* emu_ranges_find(const EmuRanges* ranges, uint64_t address);
// The range with the largest start that is at most `address`, or null.
EmuRange* emu_ranges_at_or_before(const EmuRanges* ranges, uint64_t address);
// The lowest range of at least `size` bytes, or null.
EmuRange* emu_ranges_first_fit(const EmuRanges* ranges, uint64_t size);
