// Streams, events and captured graphs, shared by the runtime and the driver library. Work finishes
// the moment it is issued, so that a stream is an identity and a place where a capture can be
// active.
#pragma once

#include <stdint.h>

#include "verifier/emulator/device/current_device.h"
#include "verifier/emulator/device/deferred.h"

typedef struct EmuGraph EmuGraph;

typedef struct {
  int device;
  int priority;
  unsigned flags;
  uint64_t id;
  uint64_t capture;  // 0, or the capture this stream takes part in
  EmuClock clock;    // collectives it waits for
} EmuStream;

typedef struct {
  int device;
  int recorded;
  uint64_t capture;  // the capture it was recorded in
  EmuClock clock;    // of the stream when it was recorded
} EmuEvent;

// Null when memory is short.
EmuStream* emu_stream_create(unsigned flags, int priority);
void emu_stream_destroy(EmuStream* stream);
// Null stands for a default stream, which cannot be captured: handles 0, 1 (legacy) and 2 (per
// thread).
EmuStream* emu_stream(void* handle);

EmuEvent* emu_event_create(void);
void emu_event_destroy(EmuEvent* event);
void emu_event_record(EmuEvent* event, EmuStream* stream);
// A stream that waits for an event of a capture joins that capture.
void emu_stream_wait(EmuStream* stream, const EmuEvent* event);

struct EmuGraph {
  uint64_t nodes;  // launches, copies and fills that were captured
  int broken;      // something was asked for that a capture cannot give; it ends in an error
};
// The capture a stream is in; null when none. id may be null.
EmuGraph* emu_capture_of(EmuStream* stream, uint64_t* id);
// False when the stream already captures, or is a default stream.
int emu_capture_begin(EmuStream* stream, EmuGraph* into);
// Ends the capture and returns its graph; null when the stream captures nothing.
EmuGraph* emu_capture_end(EmuStream* stream);
// To be called by what would wait for a stream, or for the whole device: a wait cannot be captured,
// and breaks the capture. False when there is none.
int emu_capture_break(EmuStream* stream);
int emu_captures_break(void);
EmuGraph* emu_graph_create(void);
void emu_graph_destroy(EmuGraph* graph);

// The clock of a stream, or of the default stream for null.
EmuClock* emu_stream_clock(EmuStream* stream);

// To be called by everything that puts work on a stream.
void emu_work(void* stream_handle);
