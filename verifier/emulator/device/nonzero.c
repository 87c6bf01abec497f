#include "verifier/emulator/device/nonzero.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/memory.h"

static const char kElement[] = "9NonZeroOpI";
// Of int partial sums with an int count: the input's type is the output's, a substitution.
static const char kPartial[] = "10Policy1000EPi";

EmuCounting emu_counting(const char* kernel) {
  if (strncmp(kernel, "_ZN14at_cuda_detail3cub", 23) != 0) return EMU_COUNTS_NOTHING;
  const int last = strstr(kernel, "28DeviceReduceSingleTileKernelI") != NULL;
  if (!last && strstr(kernel, "18DeviceReduceKernelI") == NULL) return EMU_COUNTS_NOTHING;
  if (strstr(kernel, "4plusIvEE") == NULL) return EMU_COUNTS_NOTHING;
  if (strstr(kernel, kElement) != NULL) return EMU_COUNTS_NONZERO;
  const char* types = strstr(kernel, kPartial);
  if (!last || types == NULL) return EMU_COUNTS_NOTHING;
  types += sizeof kPartial - 1;  // "SC_i": a substitution, then the type of the count
  if (*types != 'S') return EMU_COUNTS_NOTHING;
  const char* end = strchr(types, '_');
  return end != NULL && end[1] == 'i' ? EMU_ADDS_COUNTS : EMU_COUNTS_NOTHING;
}

static unsigned size_of_element(const char* mangled) {
  switch (*mangled) {
    case 'b':
    case 'a':
    case 'h': return 1;
    case 's': return 2;
    case 'i':
    case 'f': return 4;
    case 'l':
    case 'd': return 8;
    default: break;
  }
  const int half =
      strncmp(mangled, "N3c104HalfE", 11) == 0 || strncmp(mangled, "N3c108BFloat16E", 15) == 0;
  return half ? 2 : 0;
}

static const char* element_of(const char* kernel) {
  return strstr(kernel, kElement) + sizeof kElement - 1;
}

// policy_hub<int, type of the count, plus>: 'y' has 64 bits, 'j' and 'i' 32.
static int has_long_count(const char* kernel) {
  const char* policy = strstr(kernel, "10policy_hubIi");
  return policy != NULL && policy[14] == 'y';
}

static int is_set(const unsigned char* element, unsigned size, int is_floating) {
  for (unsigned i = 0; i < size; ++i) {
    // The sign alone does not make a number: minus zero is zero.
    const unsigned char byte = is_floating && i + 1 == size ? element[i] & 0x7f : element[i];
    if (byte != 0) return 1;
  }
  return 0;
}

static int count_set(const unsigned char* values, uint64_t count, const char* element) {
  const unsigned size = size_of_element(element);
  const int is_floating = *element == 'f' || *element == 'd' || *element == 'N';
  int found = 0;
  for (uint64_t i = 0; i < count; ++i) found += is_set(values + i * size, size, is_floating);
  return found;
}

static void keep(uint64_t at, int known, int value) {
  if (known) {
    emu_contents_write(at, &value, sizeof value);
  } else {
    emu_contents_forget(at, sizeof value);
  }
}

void emu_count_nonzero(const char* kernel, void* const* arguments) {
  uint64_t from, to, count = 0;
  memcpy(&from, arguments[0], sizeof from);
  memcpy(&to, arguments[1], sizeof to);
  memcpy(&count, arguments[2], has_long_count(kernel) ? 8 : 4);
  if (!emu_is_device_address((void*)(uintptr_t)to)) return;
  const char* element = element_of(kernel);
  const uint64_t bytes = count * size_of_element(element);
  unsigned char* values = NULL;
  if (bytes > 0 && bytes <= EMU_KEPT_BYTES && emu_contents_known(from, bytes))
    values = malloc(bytes);
  if (values != NULL) emu_contents_read(values, from, bytes);
  // Many blocks: the first one's partial sum is the whole.
  keep(to, values != NULL, values == NULL ? 0 : count_set(values, count, element));
  free(values);
}

void emu_add_counts(void* const* arguments) {
  enum { MOST_BLOCKS = 1 << 16 };
  uint64_t from, to;
  int count, sum = 0;
  memcpy(&from, arguments[0], sizeof from);
  memcpy(&to, arguments[1], sizeof to);
  memcpy(&count, arguments[2], sizeof count);
  if (count < 1 || count > MOST_BLOCKS || !emu_is_device_address((void*)(uintptr_t)to)) return;
  // What is behind the first partial sum was written by nobody, and reads as zero.
  const int known = emu_contents_known(from, sizeof(int));
  for (int i = 0; known && i < count; ++i) {
    int part;
    emu_contents_read(&part, from + (uint64_t)i * sizeof part, sizeof part);
    sum += part;
  }
  keep(to, known, sum);
}
