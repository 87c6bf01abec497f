#include "verifier/emulator/nccl/region.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/process.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/nccl/alone.h"

static const char kMagic[8] = "forerun";
enum { OPEN, CONNECTED, ALONE };
enum { ABSENT, COMING, HERE, LEFT };
enum { PAYLOAD = EMU_KEPT_BYTES };

typedef struct {
  uint32_t state;
  int32_t pid;
  uint64_t start_time;
} Member;

typedef struct {
  uint64_t ready;  // number + 1
  EmuCall call;
  uint64_t data_bytes;  // 0: zeros
  unsigned char small[EMU_SMALL_BYTES];
} Brought;

typedef struct {
  uint64_t ready;  // number + 1
  uint64_t bytes, data_bytes;
  unsigned char small[EMU_SMALL_BYTES];
} Message;

// At the start of the file; then Brought[EMU_AHEAD][ranks], Message[ranks from][ranks to][
// EMU_MESSAGES_AHEAD], then the payloads of both, each of PAYLOAD bytes. Most of it is never
// touched and takes no memory.
typedef struct {
  uint64_t token;
  uint32_t state, ranks, here;
  Member member[EMU_MAX_RANKS];
  uint64_t done[EMU_AHEAD];    // ranks that are done with a slot, ever
  uint64_t rounds[EMU_AHEAD];  // how often a slot was used and freed
  uint64_t received[EMU_MAX_RANKS][EMU_MAX_RANKS];
} Header;

struct EmuRegion {
  EmuRegionId id;
  int fd, rank, ranks;
  uint64_t mapped_bytes;
  Header* header;
  Brought* brought;
  Message* messages;
};

// --- Making, joining, leaving

// Files made here and not yet handed over to all ranks.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
typedef struct Made {
  uint64_t token;
  int fd;
  struct Made* next;
} Made;
static Made* made;

int emu_region_make(EmuRegionId* id) {
  memset(id, 0, sizeof *id);
  const int fd = memfd_create("forerun-nccl", MFD_CLOEXEC);
  Made* note = calloc(1, sizeof *note);
  uint64_t token = 0;
  if (fd < 0 || note == NULL || ftruncate(fd, sizeof(Header)) != 0 ||
      getrandom(&token, sizeof token, 0) != sizeof token ||
      pwrite(fd, &token, sizeof token, 0) != sizeof token) {
    emu_say("NCCL: no memory to share among ranks: %s", strerror(errno));
    if (fd >= 0) close(fd);
    free(note);
    return 0;
  }
  memcpy(id->magic, kMagic, sizeof id->magic);
  id->pid = getpid();
  id->fd = fd;
  id->start_time = emu_process_start_time(getpid());
  id->token = note->token = token;
  note->fd = fd;
  pthread_mutex_lock(&lock);
  note->next = made;
  made = note;
  pthread_mutex_unlock(&lock);
  return 1;
}

// All ranks have opened it: the maker's own descriptor is not needed any more.
static void hand_over(const EmuRegionId* id) {
  if (id->pid != getpid()) return;
  pthread_mutex_lock(&lock);
  for (Made** at = &made; *at != NULL; at = &(*at)->next) {
    Made* note = *at;
    if (note->token != id->token) continue;
    *at = note->next;
    close(note->fd);
    free(note);
    break;
  }
  pthread_mutex_unlock(&lock);
}

static uint64_t table_bytes(int ranks) {
  const uint64_t n = (uint64_t)ranks;
  const uint64_t bytes = sizeof(Header) + EMU_AHEAD * n * sizeof(Brought) +
                         n * n * EMU_MESSAGES_AHEAD * sizeof(Message);
  return (bytes + PAYLOAD - 1) / PAYLOAD * PAYLOAD;
}

static int open_file(const EmuRegionId* id) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", id->pid, id->fd);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  uint64_t token = 0;
  if (fd >= 0 && pread(fd, &token, sizeof token, 0) == sizeof token && token == id->token)
    return fd;
  emu_say("NCCL: the rank that made the unique id (process %d) cannot be reached: %s", id->pid,
          fd < 0 ? strerror(errno) : "it has ended");
  if (fd >= 0) close(fd);
  return -1;
}

static int map(EmuRegion* region) {
  region->mapped_bytes = table_bytes(region->ranks);
  // All ranks do this before any of them writes behind it.
  if (ftruncate(region->fd, (off_t)region->mapped_bytes) != 0) return 0;
  void* at = mmap(NULL, region->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                  region->fd, 0);
  if (at == MAP_FAILED) return 0;
  region->header = at;
  region->brought = (Brought*)(region->header + 1);
  region->messages = (Message*)(region->brought + (uint64_t)EMU_AHEAD * (uint64_t)region->ranks);
  return 1;
}

// Puts this rank into the table; says why it cannot.
static int enter(EmuRegion* region) {
  uint32_t none = 0, absent = ABSENT;
  Header* header = region->header;
  const uint32_t ranks = (uint32_t)region->ranks;
  if (!__atomic_compare_exchange_n(&header->ranks, &none, ranks, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE) &&
      none != ranks) {
    emu_say("NCCL: rank %d says there are %d ranks, another rank says %u", region->rank,
            region->ranks, none);
    return 0;
  }
  Member* member = &header->member[region->rank];
  if (!__atomic_compare_exchange_n(&member->state, &absent, COMING, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    emu_say("NCCL: two processes are rank %d of one communicator: %d and %d", region->rank,
            member->pid, getpid());
    return 0;
  }
  member->pid = getpid();
  member->start_time = emu_process_start_time(getpid());
  __atomic_store_n(&member->state, HERE, __ATOMIC_RELEASE);
  uint32_t open = OPEN;
  if (__atomic_add_fetch(&header->here, 1, __ATOMIC_ACQ_REL) == ranks)
    __atomic_compare_exchange_n(&header->state, &open, CONNECTED, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
  return 1;
}

static void release(EmuRegion* region) {
  if (region->header != NULL) munmap(region->header, region->mapped_bytes);
  if (region->fd >= 0) close(region->fd);
  free(region);
}

EmuRegion* emu_region_join(const EmuRegionId* id, int rank, int ranks) {
  if (memcmp(id->magic, kMagic, sizeof kMagic) != 0) {
    emu_say("NCCL: a unique id that ncclGetUniqueId did not make");
    return NULL;
  }
  if (ranks > EMU_MAX_RANKS) {
    emu_say("NCCL: %d ranks are more than the %d that can be emulated side by side", ranks,
            EMU_MAX_RANKS);
    return NULL;
  }
  EmuRegion* region = calloc(1, sizeof *region);
  if (region == NULL) return NULL;
  region->id = *id;
  region->rank = rank;
  region->ranks = ranks;
  region->fd = open_file(id);
  if (region->fd >= 0 && map(region) && enter(region)) return region;
  release(region);
  return NULL;
}

void emu_region_leave(EmuRegion* region) {
  Member* member = &region->header->member[region->rank];
  // A fork has a copy of the region, and is not its rank.
  if (member->pid == getpid()) __atomic_store_n(&member->state, LEFT, __ATOMIC_RELEASE);
  release(region);
}

int emu_region_rank_is_gone(const EmuRegion* region, int rank) {
  const Member* member = &region->header->member[rank];
  const uint32_t state = __atomic_load_n(&member->state, __ATOMIC_ACQUIRE);
  if (state == LEFT) return 1;
  return state == HERE && !emu_process_is_alive(member->pid, member->start_time);
}

int emu_region_pid(const EmuRegion* region, int rank) { return region->header->member[rank].pid; }

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// A rank that came and ended before all had come, or -1.
static int lost_rank(const EmuRegion* region) {
  for (int rank = 0; rank < region->ranks; ++rank) {
    if (emu_region_rank_is_gone(region, rank)) return rank;
  }
  return -1;
}

static EmuConnection lost(const EmuRegion* region, int rank) {
  emu_say("NCCL: rank %d of %d (process %d) ended before all ranks had come", rank, region->ranks,
          emu_region_pid(region, rank));
  return EMU_LOST;
}

static int maker_is_gone(const EmuRegion* region) {
  return __atomic_load_n(&region->header->member[0].state, __ATOMIC_ACQUIRE) == ABSENT &&
         !emu_process_is_alive(region->id.pid, region->id.start_time);
}

static void say_waiting(const EmuRegion* region) {
  emu_say(
      "NCCL: rank %d of %d (process %d) waits for the others: %u have come. If this program is "
      "meant to be one rank by itself, set FORERUN_EMULATOR_RANKS=alone",
      region->rank, region->ranks, getpid(), region->header->here);
}

// The maker alone decides that nobody comes, so that two ranks cannot decide differently.
static int decide_alone(const EmuRegion* region) {
  if (region->id.pid != getpid() || emu_ranks_expected(region->ranks) != EMU_RANKS_OPEN ||
      emu_other_processes())
    return 0;
  uint32_t open = OPEN;
  return __atomic_compare_exchange_n(&region->header->state, &open, ALONE, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

EmuConnection emu_region_connect(EmuRegion* region) {
  const double began = seconds();
  double checked = began;
  int said = 0;
  for (unsigned pause = 0;; emu_pause(&pause)) {
    const uint32_t state = __atomic_load_n(&region->header->state, __ATOMIC_ACQUIRE);
    if (state != OPEN || decide_alone(region)) {
      if (state == CONNECTED) {
        hand_over(&region->id);
        return EMU_CONNECTED;
      }
      if (region->id.pid == getpid()) return EMU_ALONE;
      emu_say("NCCL: rank 0 (process %d) went on without this rank %d", region->id.pid,
              region->rank);
      return EMU_LOST;
    }
    const double now = seconds();
    if (now - checked < 0.25) continue;
    checked = now;
    const int gone = lost_rank(region);
    if (gone >= 0) return lost(region, gone);
    if (maker_is_gone(region)) return lost(region, 0);
    if (now - began < 5 || said) continue;
    say_waiting(region);
    said = 1;
  }
}

// --- Payloads

static void put(const EmuRegion* region, uint64_t index, const void* data, uint64_t bytes) {
  const char* from = data;
  off_t at = (off_t)(region->mapped_bytes + index * PAYLOAD);
  while (bytes > 0) {
    const ssize_t written = pwrite(region->fd, from, bytes, at);
    if (written <= 0) {
      emu_say("NCCL: contents of a collective are lost: %s", strerror(errno));
      return;
    }
    from += written, at += written, bytes -= (uint64_t)written;
  }
}

static void get(const EmuRegion* region, uint64_t index, uint64_t offset, void* to,
                uint64_t bytes) {
  const ssize_t got =
      pread(region->fd, to, bytes, (off_t)(region->mapped_bytes + index * PAYLOAD + offset));
  if (got < (ssize_t)bytes)
    memset((char*)to + (got < 0 ? 0 : got), 0, bytes - (uint64_t)(got < 0 ? 0 : got));
}

static void give_back(const EmuRegion* region, uint64_t index, uint64_t count) {
  fallocate(region->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            (off_t)(region->mapped_bytes + index * PAYLOAD), (off_t)(count * PAYLOAD));
}

// --- Collectives

static uint64_t slot_of(uint64_t number) { return number % EMU_AHEAD; }

static Brought* at(const EmuRegion* region, uint64_t number, int rank) {
  return &region->brought[slot_of(number) * (uint64_t)region->ranks + (uint64_t)rank];
}
static uint64_t payload_of(const EmuRegion* region, uint64_t number, int rank) {
  return slot_of(number) * (uint64_t)region->ranks + (uint64_t)rank;
}

// Waits until *counter is at least `wanted`; false when a rank has gone that could have raised it.
static int wait_for(const EmuRegion* region, const uint64_t* counter, uint64_t wanted) {
  double checked = seconds();
  for (unsigned pause = 0; __atomic_load_n(counter, __ATOMIC_ACQUIRE) < wanted; emu_pause(&pause)) {
    if (seconds() - checked < 0.25) continue;
    checked = seconds();
    if (lost_rank(region) >= 0) return 0;
  }
  return 1;
}

int emu_region_open(EmuRegion* region, uint64_t number) {
  return wait_for(region, &region->header->rounds[slot_of(number)], number / EMU_AHEAD);
}

void emu_region_bring(EmuRegion* region, uint64_t number, EmuCall call, const void* data,
                      uint64_t bytes) {
  Brought* mine = at(region, number, region->rank);
  mine->call = call;
  mine->data_bytes = data == NULL ? 0 : bytes;
  if (mine->data_bytes > EMU_SMALL_BYTES) {
    put(region, payload_of(region, number, region->rank), data, bytes);
  } else if (mine->data_bytes > 0) {
    memcpy(mine->small, data, bytes);
  }
  __atomic_store_n(&mine->ready, number + 1, __ATOMIC_RELEASE);
}

const EmuCall* emu_region_brought(const EmuRegion* region, uint64_t number, int rank) {
  const Brought* theirs = at(region, number, rank);
  return __atomic_load_n(&theirs->ready, __ATOMIC_ACQUIRE) == number + 1 ? &theirs->call : NULL;
}

int emu_region_read(const EmuRegion* region, uint64_t number, int rank, uint64_t offset, void* to,
                    uint64_t bytes) {
  const Brought* theirs = at(region, number, rank);
  memset(to, 0, bytes);
  if (offset >= theirs->data_bytes) return 0;
  const uint64_t left = theirs->data_bytes - offset;
  const uint64_t there = bytes < left ? bytes : left;
  if (theirs->data_bytes > EMU_SMALL_BYTES) {
    get(region, payload_of(region, number, rank), offset, to, there);
  } else {
    memcpy(to, theirs->small + offset, there);
  }
  return 1;
}

void emu_region_done(EmuRegion* region, uint64_t number) {
  Header* header = region->header;
  const uint64_t slot = slot_of(number), ranks = (uint64_t)region->ranks;
  const uint64_t round = number / EMU_AHEAD + 1;
  if (__atomic_add_fetch(&header->done[slot], 1, __ATOMIC_ACQ_REL) < round * ranks) return;
  int large = 0;
  for (int rank = 0; rank < region->ranks; ++rank)
    large |= at(region, number, rank)->data_bytes > EMU_SMALL_BYTES;
  if (large) give_back(region, slot * ranks, ranks);
  __atomic_store_n(&header->rounds[slot], round, __ATOMIC_RELEASE);
}

// --- Messages

static uint64_t message_index(const EmuRegion* region, int from, int to, uint64_t number) {
  return ((uint64_t)from * (uint64_t)region->ranks + (uint64_t)to) * EMU_MESSAGES_AHEAD +
         number % EMU_MESSAGES_AHEAD;
}
static uint64_t message_payload(const EmuRegion* region, uint64_t index) {
  return (uint64_t)EMU_AHEAD * (uint64_t)region->ranks + index;
}

int emu_region_message_open(EmuRegion* region, int to, uint64_t number) {
  if (number < EMU_MESSAGES_AHEAD) return 1;
  return wait_for(region, &region->header->received[region->rank][to],
                  number - EMU_MESSAGES_AHEAD + 1);
}

void emu_region_send(EmuRegion* region, int to, uint64_t number, uint64_t bytes, const void* data) {
  const uint64_t index = message_index(region, region->rank, to, number);
  Message* message = &region->messages[index];
  message->bytes = bytes;
  message->data_bytes = data == NULL ? 0 : bytes;
  if (message->data_bytes > EMU_SMALL_BYTES) {
    put(region, message_payload(region, index), data, bytes);
  } else if (message->data_bytes > 0) {
    memcpy(message->small, data, bytes);
  }
  __atomic_store_n(&message->ready, number + 1, __ATOMIC_RELEASE);
}

int emu_region_message(const EmuRegion* region, int from, uint64_t number, uint64_t* bytes) {
  const Message* message = &region->messages[message_index(region, from, region->rank, number)];
  if (__atomic_load_n(&message->ready, __ATOMIC_ACQUIRE) != number + 1) return 0;
  *bytes = message->bytes;
  return 1;
}

void emu_region_receive(EmuRegion* region, int from, uint64_t number, void* to, uint64_t bytes) {
  const uint64_t index = message_index(region, from, region->rank, number);
  const Message* message = &region->messages[index];
  if (to != NULL) {
    memset(to, 0, bytes);
    const uint64_t there = bytes < message->data_bytes ? bytes : message->data_bytes;
    if (message->data_bytes > EMU_SMALL_BYTES) {
      get(region, message_payload(region, index), 0, to, there);
    } else {
      memcpy(to, message->small, there);
    }
  }
  if (message->data_bytes > EMU_SMALL_BYTES) give_back(region, message_payload(region, index), 1);
  __atomic_store_n(&region->header->received[from][region->rank], number + 1, __ATOMIC_RELEASE);
}
