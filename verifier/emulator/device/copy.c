#include "verifier/emulator/device/copy.h"

#include <string.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/report.h"

void emu_copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  const int to_device = emu_is_device_address(to), from_device = emu_is_device_address(from);
  if (to_device && from_device) {
    emu_contents_copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes);
  } else if (to_device) {
    emu_contents_write((uint64_t)(uintptr_t)to, from, bytes);
    emu_add(&emu_report()->bytes_to_device, bytes);
  } else if (from_device) {
    emu_contents_read(to, (uint64_t)(uintptr_t)from, bytes);
    emu_add(&emu_report()->bytes_to_host, bytes);
  } else {
    memmove(to, from, bytes);
  }
}

void emu_copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t rows) {
  for (size_t row = 0; row < rows; ++row) {
    emu_copy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width);
  }
}

void emu_fill(void* at, const void* pattern, size_t pattern_bytes, size_t bytes) {
  if (emu_is_device_address(at)) {
    emu_contents_fill((uint64_t)(uintptr_t)at, pattern, pattern_bytes, bytes);
    return;
  }
  for (size_t i = 0; i + pattern_bytes <= bytes; i += pattern_bytes)
    memcpy((char*)at + i, pattern, pattern_bytes);
}
