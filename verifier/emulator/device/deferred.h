// Work on contents that waits for other processes. A collective's result is there when every rank
// has come; a copy of that result, or a fill over it, has to wait for it. The caller does not wait,
// as it would not on a real device: such work is kept here, in the order it was issued, and done by
// a thread of its own as soon as it can be. The host waits where it would wait on a real device,
// and when it reads what is not there yet.
//
// Two pieces of work are kept in order when one writes what the other reads or writes; whatever
// else the program orders by streams and events it has ordered by the order of its calls.
#pragma once

#include <stdint.h>

typedef struct {
  uint64_t start, bytes;
} EmuSpan;

typedef struct EmuDeferred {
  EmuSpan reads, writes;
  const void* owner;  // a communicator, or null
  int lane;           // -1: nobody waits for it by itself
  uint32_t number;    // in its lane
  int device;
  int (*ready)(struct EmuDeferred*);  // null: always. Must not call anything of this header
  void (*run)(struct EmuDeferred*);   // does it, when `drop` is 0, and frees it
  int drop;
  struct EmuDeferred* next;
} EmuDeferred;

// Does the work at once if it can be done, else keeps it.
void emu_defer(EmuDeferred* work);
// Whether a piece of work would have to wait for what is kept; cheap when nothing is.
int emu_must_defer(EmuSpan reads, EmuSpan writes);
// Returns when nothing is kept that writes the span.
void emu_wait_for_contents(EmuSpan span);
// Returns when no work of this owner is kept.
void emu_wait_for_owner(const void* owner);
// Forgets what is kept of this owner, undone.
void emu_drop_owner(const void* owner);

// Lanes: work that is finished in turn, such as that of one communicator. A clock says how far into
// each lane a stream or event has to wait. With more communicators than lanes, some share one.
enum { EMU_LANES = 32 };
typedef struct {
  uint32_t until[EMU_LANES];
} EmuClock;

int emu_lane_open(void);
uint32_t emu_lane_next(int lane);
// The work of a lane cannot be finished any more: whoever waits for it is told.
void emu_lane_fail(int lane);

void emu_clock_advance(EmuClock* clock, int lane, uint32_t number);
void emu_clock_join(EmuClock* clock, const EmuClock* other);
void emu_clock_copy(EmuClock* clock, const EmuClock* other);
// Of the default streams of the calling thread's device.
EmuClock* emu_default_clock(void);
// Wait; false when something waited for has failed.
int emu_clock_finish(const EmuClock* clock);
int emu_device_finish(int device);

// A pause that grows from 50 microseconds to 2 milliseconds; *pause starts as 0.
void emu_pause(unsigned* pause);
