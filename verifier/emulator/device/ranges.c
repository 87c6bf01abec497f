#include "verifier/emulator/device/ranges.h"

#include <stddef.h>
#include <stdlib.h>

static uint64_t largest_of(const EmuRange* node) { return node == NULL ? 0 : node->largest; }

static EmuRange* updated(EmuRange* node) {
  node->largest = node->size;
  if (largest_of(node->left) > node->largest) node->largest = node->left->largest;
  if (largest_of(node->right) > node->largest) node->largest = node->right->largest;
  return node;
}

// Everything that starts below `start` goes left, the rest right.
static void split(EmuRange* node, uint64_t start, EmuRange** left, EmuRange** right) {
  if (node == NULL) {
    *left = *right = NULL;
  } else if (node->start < start) {
    split(node->right, start, &node->right, right);
    *left = updated(node);
  } else {
    split(node->left, start, left, &node->left);
    *right = updated(node);
  }
}

static EmuRange* merge(EmuRange* left, EmuRange* right) {
  if (left == NULL) return right;
  if (right == NULL) return left;
  if (left->priority > right->priority) {
    left->right = merge(left->right, right);
    return updated(left);
  }
  right->left = merge(left, right->left);
  return updated(right);
}

static uint32_t next_priority(EmuRanges* ranges) {  // xorshift32
  uint32_t x = ranges->random != 0 ? ranges->random : 0x9e3779b9u;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return ranges->random = x;
}

EmuRange* emu_ranges_insert(EmuRanges* ranges, uint64_t start, uint64_t size) {
  EmuRange* node = calloc(1, sizeof *node);
  if (node == NULL) return NULL;
  node->start = start;
  node->size = node->largest = size;
  node->priority = next_priority(ranges);
  EmuRange *left, *right;
  split(ranges->root, start, &left, &right);
  ranges->root = merge(merge(left, node), right);
  return node;
}

int emu_ranges_erase(EmuRanges* ranges, uint64_t start) {
  EmuRange *left, *rest, *found, *right;
  split(ranges->root, start, &left, &rest);
  split(rest, start + 1, &found, &right);
  ranges->root = merge(left, right);
  free(found);
  return found != NULL;
}

EmuRange* emu_ranges_at_or_before(const EmuRanges* ranges, uint64_t address) {
  EmuRange* best = NULL;
  for (EmuRange* node = ranges->root; node != NULL;) {
    if (node->start > address) {
      node = node->left;
    } else {
      best = node;
      node = node->right;
    }
  }
  return best;
}

EmuRange* emu_ranges_find(const EmuRanges* ranges, uint64_t address) {
  EmuRange* node = emu_ranges_at_or_before(ranges, address);
  return node != NULL && address - node->start < node->size ? node : NULL;
}

EmuRange* emu_ranges_first_fit(const EmuRanges* ranges, uint64_t size) {
  EmuRange* node = ranges->root;
  if (largest_of(node) < size) return NULL;
  for (;;) {
    if (largest_of(node->left) >= size) {
      node = node->left;
    } else if (node->size >= size) {
      return node;
    } else {
      node = node->right;
    }
  }
}
