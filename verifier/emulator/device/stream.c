#include "verifier/emulator/device/stream.h"

#include <pthread.h>
#include <stdlib.h>

// Captures that are active. There is seldom more than one; a stream or event remembers a capture by
// number, so that one that has ended is simply not found.
enum { MAX_CAPTURES = 64 };
static struct {
  uint64_t id;
  EmuGraph* graph;
} captures[MAX_CAPTURES];
static uint64_t last_id;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __thread int current_device;

int emu_current_device(void) { return current_device; }
void emu_set_current_device(int device) { current_device = device; }

EmuStream* emu_stream_create(unsigned flags, int priority) {
  EmuStream* stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  stream->device = current_device;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
  return stream;
}

void emu_stream_destroy(EmuStream* stream) { free(stream); }

EmuStream* emu_stream(void* handle) { return (uintptr_t)handle <= 2 ? NULL : handle; }

EmuEvent* emu_event_create(void) {
  EmuEvent* event = calloc(1, sizeof *event);
  if (event != NULL) event->device = current_device;
  return event;
}

void emu_event_destroy(EmuEvent* event) { free(event); }

static uint64_t capture_id(const EmuStream* stream) {
  return stream == NULL ? 0 : __atomic_load_n(&stream->capture, __ATOMIC_ACQUIRE);
}

EmuClock* emu_stream_clock(EmuStream* stream) {
  return stream == NULL ? emu_default_clock() : &stream->clock;
}

void emu_event_record(EmuEvent* event, EmuStream* stream) {
  emu_clock_copy(&event->clock, emu_stream_clock(stream));
  event->recorded = 1;
  event->capture = capture_id(stream);
}

static int slot_of(uint64_t id) {
  for (int i = 0; id != 0 && i < MAX_CAPTURES; ++i) {
    if (captures[i].id == id) return i;
  }
  return -1;
}

EmuGraph* emu_capture_of(EmuStream* stream, uint64_t* id) {
  const uint64_t wanted = capture_id(stream);
  EmuGraph* graph = NULL;
  if (wanted != 0) {
    pthread_mutex_lock(&lock);
    const int slot = slot_of(wanted);
    if (slot >= 0) graph = captures[slot].graph;
    pthread_mutex_unlock(&lock);
  }
  if (id != NULL) *id = graph == NULL ? 0 : wanted;
  return graph;
}

void emu_stream_wait(EmuStream* stream, const EmuEvent* event) {
  emu_clock_join(emu_stream_clock(stream), &event->clock);
  if (stream == NULL || event->capture == 0) return;
  pthread_mutex_lock(&lock);
  if (slot_of(event->capture) >= 0)
    __atomic_store_n(&stream->capture, event->capture, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
}

int emu_capture_begin(EmuStream* stream, EmuGraph* into) {
  if (stream == NULL || emu_capture_of(stream, NULL) != NULL) return 0;
  int begun = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_CAPTURES && !begun; ++i) {
    if (captures[i].id != 0) continue;
    captures[i].id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    captures[i].graph = into;
    __atomic_store_n(&stream->capture, captures[i].id, __ATOMIC_RELEASE);
    begun = 1;
  }
  pthread_mutex_unlock(&lock);
  return begun;
}

EmuGraph* emu_capture_end(EmuStream* stream) {
  EmuGraph* graph = NULL;
  pthread_mutex_lock(&lock);
  const int slot = slot_of(capture_id(stream));
  if (slot >= 0) {
    graph = captures[slot].graph;
    captures[slot].id = 0;
    captures[slot].graph = NULL;
    __atomic_store_n(&stream->capture, 0, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  return graph;
}

static int break_slot(int slot) {
  if (slot < 0 || captures[slot].id == 0) return 0;
  captures[slot].graph->broken = 1;
  return 1;
}

int emu_capture_break(EmuStream* stream) {
  if (capture_id(stream) == 0) return 0;
  pthread_mutex_lock(&lock);
  const int broken = break_slot(slot_of(capture_id(stream)));
  pthread_mutex_unlock(&lock);
  return broken;
}

int emu_captures_break(void) {
  int broken = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_CAPTURES; ++i) broken |= break_slot(i);
  pthread_mutex_unlock(&lock);
  return broken;
}

EmuGraph* emu_graph_create(void) { return calloc(1, sizeof(EmuGraph)); }
void emu_graph_destroy(EmuGraph* graph) { free(graph); }

int emu_is_captured(void* stream_handle) {
  EmuStream* stream = emu_stream(stream_handle);
  return capture_id(stream) != 0 && emu_capture_of(stream, NULL) != NULL;
}

void emu_work(void* stream_handle) {
  EmuStream* stream = emu_stream(stream_handle);
  if (capture_id(stream) == 0) return;
  EmuGraph* graph = emu_capture_of(stream, NULL);
  if (graph != NULL) __atomic_fetch_add(&graph->nodes, 1, __ATOMIC_RELAXED);
}
