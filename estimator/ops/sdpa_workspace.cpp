#include "estimator/ops/sdpa_workspace.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace forerun::ops {

std::int64_t flash_splits(const FlashWork& of, const devices::Device& device) {
  const std::int64_t processors = std::max<std::int64_t>(1, 2 * device.multiprocessors);
  const std::int64_t key_block = of.head <= 64 ? 256 : of.head <= 128 ? 128 : 64;
  const std::int64_t key_blocks = ceil_div(of.keys, key_block);
  const std::int64_t work = of.rows * ceil_div(of.queries, 64);
  if (static_cast<float>(work) >= 0.8f * static_cast<float>(processors)) return 1;
  const std::int64_t most = std::min<std::int64_t>({128, processors, key_blocks});
  auto efficiency = [&](std::int64_t n) {
    const float waves = static_cast<float>(work * n) / static_cast<float>(processors);
    return waves / std::ceil(waves);
  };
  auto eligible = [&](std::int64_t n) {
    return n == 1 || ceil_div(key_blocks, n) != ceil_div(key_blocks, n - 1);
  };
  float best = 0;
  for (std::int64_t n = 1; n <= most; ++n) {
    if (eligible(n)) best = std::max(best, efficiency(n));
  }
  for (std::int64_t n = 1; n <= most; ++n) {
    if (eligible(n) && efficiency(n) >= 0.85f * best) return n;
  }
  return 1;
}

std::int64_t flash_rounded(std::int64_t head) { return head <= 192 ? round_up(head, 32) : 256; }

namespace {

// kBlockSizeI x kBlockSizeJ, and whether the gradients of keys and values stay in registers.
struct Tile {
  std::int64_t queries, keys;
  bool in_registers;
};

// The first kernel of the list that takes the head and whose shared memory the device has. The
// larger tiles of 16-bit kernels for heads up to 128, and those of fp32, need more than the 99 KiB
// of compute capability 8.6, 8.9 and 12.x.
Tile backward_tile(const EfficientWork& of, const devices::Device& device) {
  const std::int64_t head = std::max(of.head, of.value_head);
  const int capability = 10 * device.compute_major + device.compute_minor;
  const bool roomy = capability == 80 || (capability >= 90 && capability < 120);
  if (head <= 64) return {64, 64, true};
  if (of.dtype == DType::Float32) return {roomy ? 128 : 64, 64, false};
  if (head > 128) return {128, 64, false};
  if (roomy) return {128, 128, true};
  if (capability >= 70 && capability < 80) return {128, 64, true};
  const bool special = head <= 96 && !of.dropout && (capability == 86 || capability == 89);
  return special ? Tile{128, 64, true} : Tile{64, 64, false};
}

// Several blocks share the keys of one row only as far as that keeps the gradients' copies few.
std::int64_t key_splits(const EfficientWork& of, const Tile& tile) {
  return std::max<std::int64_t>(1, std::min(ceil_div(of.keys, tile.keys), 200 / of.rows));
}

}  // namespace

std::int64_t efficient_workspace_bytes(const EfficientWork& of, const devices::Device& device) {
  constexpr std::int64_t kLockBytes = 16;
  constexpr std::int64_t kFloatBytes = 4;
  const Tile tile = backward_tile(of, device);
  std::int64_t bytes = ceil_div(of.queries, tile.queries) * ceil_div(of.head, tile.keys) *
                       (tile.queries * tile.keys * kFloatBytes + kLockBytes);
  if (of.dtype != DType::Float32 && !tile.in_registers) {
    const std::int64_t columns =
        round_up(of.head, tile.queries) + round_up(of.value_head, tile.queries);
    bytes += key_splits(of, tile) * tile.keys * columns * kFloatBytes;
  }
  return of.rows * bytes;
}

bool efficient_accumulates(DType dtype, std::int64_t head, std::int64_t value_head) {
  return dtype != DType::Float32 && std::max(head, value_head) > 128;
}

}  // namespace forerun::ops
