#include "verifier/emulator/device/profile.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/process.h"
#include "verifier/emulator/device/report.h"

static EmuProfile profile;
static int usable;
static int visible;
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum FieldType { TEXT, INT, INT64 };

static const struct Field {
  const char* key;
  enum FieldType type;
  size_t offset, size;
  int64_t smallest;
} fields[] = {
#define FIELD(type, key, smallest) \
  { #key, type, offsetof(EmuProfile, key), sizeof profile.key, smallest }
    FIELD(TEXT, name, 0),
    FIELD(TEXT, vendor_name, 0),
    FIELD(INT, devices, 1),
    FIELD(INT, compute_major, 1),
    FIELD(INT, compute_minor, 0),
    FIELD(INT, multiprocessors, 1),
    FIELD(INT, max_threads_per_multiprocessor, 32),
    FIELD(INT, max_blocks_per_multiprocessor, 1),
    FIELD(INT64, shared_memory_per_multiprocessor_bytes, 1),
    FIELD(INT64, shared_memory_per_block_optin_bytes, 1),
    FIELD(INT64, l2_cache_bytes, 1),
    FIELD(INT64, memory_bandwidth_bytes_per_s, 1),
    FIELD(INT64, total_memory_bytes, 1),
    FIELD(INT64, context_bytes, 0),
#undef FIELD
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static int store(const struct Field* field, const char* value) {
  char* at = (char*)&profile + field->offset;
  if (field->type == TEXT) return snprintf(at, field->size, "%s", value) < (int)field->size;
  char* end = NULL;
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || number < field->smallest) return 0;
  if (field->type == INT64) {
    *(int64_t*)at = number;
    return 1;
  }
  *(int*)at = (int)number;
  return number <= INT32_MAX;
}

// One line, "key=value"; marks the field as seen. False, after a message, when it is not one of
// ours.
static int read_line(char* line, int seen[FIELD_COUNT]) {
  char* equals = strchr(line, '=');
  if (equals == NULL) {
    emu_say("FORERUN_EMULATOR_PROFILE: '%s' is not key=value", line);
    return 0;
  }
  *equals = '\0';
  for (int i = 0; i < FIELD_COUNT; ++i) {
    if (strcmp(fields[i].key, line) != 0) continue;
    seen[i] = store(&fields[i], equals + 1);
    if (!seen[i]) emu_say("FORERUN_EMULATOR_PROFILE: %s cannot be '%s'", line, equals + 1);
    return seen[i];
  }
  emu_say("FORERUN_EMULATOR_PROFILE: unknown key '%s'", line);
  return 0;
}

static int read_all(char* text) {
  int seen[FIELD_COUNT] = {0};
  char* rest = NULL;
  for (char* line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    if (!read_line(line, seen)) return 0;
  }
  for (int i = 0; i < FIELD_COUNT; ++i) {
    if (seen[i]) continue;
    emu_say("FORERUN_EMULATOR_PROFILE: %s is missing", fields[i].key);
    return 0;
  }
  if (profile.context_bytes >= profile.total_memory_bytes || profile.devices > EMU_MAX_DEVICES) {
    emu_say(
        "FORERUN_EMULATOR_PROFILE: context_bytes must be below total_memory_bytes, devices at most "
        "%d",
        EMU_MAX_DEVICES);
    return 0;
  }
  return 1;
}

// CUDA_VISIBLE_DEVICES as CUDA reads it, ordinals only: the list ends at the first entry that is
// not a device.
static int count_visible(int devices) {
  const char* list = getenv("CUDA_VISIBLE_DEVICES");
  if (list == NULL) return devices;
  int count = 0;
  while (*list != '\0' && count < devices) {
    char* end = NULL;
    const long ordinal = strtol(list, &end, 10);
    if (end == list || ordinal < 0 || ordinal >= devices) break;
    ++count;
    if (*end != ',') break;
    list = end + 1;
  }
  return count;
}

static void read_profile(void) {
  const char* text = getenv("FORERUN_EMULATOR_PROFILE");
  if (text == NULL || text[0] == '\0') {
    emu_say(
        "FORERUN_EMULATOR_PROFILE does not say which GPU to emulate, so there is none; start the "
        "program with "
        "forerun dry-run --gpu NAME -- COMMAND");
    return;
  }
  char* copy = strdup(text);
  usable = copy != NULL && read_all(copy);
  free(copy);
  if (!usable) return;
  visible = count_visible(profile.devices);
  emu_add(&emu_report()->processes, 1);
  emu_process();
}

const EmuProfile* emu_profile(void) {
  pthread_once(&once, read_profile);
  return usable ? &profile : NULL;
}

int emu_device_count(void) {
  pthread_once(&once, read_profile);
  return visible;
}
