#include "verifier/emulator/device/computed.h"

#include <stdint.h>
#include <string.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/nonzero.h"

// WRITE: what it computes is not kept, but where it goes is known.
typedef enum {
  OTHER = 1,
  FILL,
  ADD,
  ADD_EACH,
  COMPARE,
  ALL,
  SUM,
  WRITE,
  COUNT,
  ADD_COUNTS,
  EQUAL
} Meaning;

typedef struct {
  const char* kernel;
  uint8_t meaning;  // 0: not looked at yet
  char type;        // as mangled: f, d, i, l; h: half and bfloat16
} Known;

// Larger results are not kept: a fill that large is no number that a program reads.
enum { LARGEST_FILL_BYTES = 64 << 10, LARGEST_COUNTERS_BYTES = 64 };

// --- Which kernel it is -----------------------------------------------------------------------

static char type_at(const char* mangled) {
  if (strchr("fdilbhas", *mangled) != NULL) return *mangled == 'h' ? 'a' : *mangled;
  const int half =
      strncmp(mangled, "N3c104HalfE", 11) == 0 || strncmp(mangled, "N3c108BFloat16E", 15) == 0;
  return half ? 'h' : 0;
}

static unsigned size_of(char type) {
  switch (type) {
    case 'd':
    case 'l': return 8;
    case 'f':
    case 'i': return 4;
    case 'h':
    case 's': return 2;
    default: return 1;
  }
}

static Known elementwise(const char* kernel) {
  const char* functor = strstr(kernel, "11FillFunctorI");
  if (functor != NULL) {
    const char type = type_at(functor + 14);
    return (Known){kernel, type == 0 ? WRITE : FILL, type};
  }
  functor = strstr(kernel, "14CompareFunctorIlEESt5array");
  if (functor != NULL) return (Known){kernel, COMPARE, 'l'};
  functor = strstr(kernel, "21CUDAFunctorOnSelf_addI");
  if (functor == NULL) return (Known){kernel, WRITE, 0};
  const char type = type_at(functor + 24);
  return (Known){kernel, type != 0 && strchr("fdil", type) != NULL ? ADD : WRITE, type};
}

static Known reduction_named(const char* kernel) {
  const char* operation = strstr(kernel, "NS0_8ReduceOpI");
  if (operation == NULL) return (Known){kernel, OTHER, 0};
  operation += 14;
  static const char all[] = "bNS0_14func_wrapper_tIbZZZNS0_15and_kernel_cuda";
  static const char sum[] = "lNS0_14func_wrapper_tIlZNS0_11sum_functorIlll";
  if (strncmp(operation, all, sizeof all - 1) == 0) return (Known){kernel, ALL, 'b'};
  if (strncmp(operation, sum, sizeof sum - 1) == 0) return (Known){kernel, SUM, 'l'};
  return (Known){kernel, OTHER, 0};
}

static Known look_at(const char* kernel) {
  static const char prefix[] = "_ZN2at6native";
  const Known other = {kernel, OTHER, 0};
  if (strncmp(kernel, prefix, sizeof prefix - 1) != 0) {
    switch (emu_counting(kernel)) {
      case EMU_COUNTS_NONZERO: return (Known){kernel, COUNT, 0};
      case EMU_ADDS_COUNTS: return (Known){kernel, ADD_COUNTS, 0};
      default: return other;
    }
  }
  const char* name = kernel + sizeof prefix - 1;
  const int integers =
      strstr(name, "CompareEqFunctorIlE") != NULL || strstr(name, "CompareEqFunctorIiE") != NULL;
  if (integers) return (Known){kernel, EQUAL, 0};
  const int contiguous = strncmp(name, "29vectorized_elementwise_kernelI", 32) == 0 ||
                         strncmp(name, "27unrolled_elementwise_kernelI", 30) == 0;
  if (contiguous)
    return strstr(name, "WithCast") == NULL ? elementwise(kernel) : (Known){kernel, WRITE, 0};
  if (strncmp(name, "13reduce_kernelI", 16) == 0) return reduction_named(kernel);
  const char* functor = strstr(name, "21BinaryOpScalarFunctorI");
  if (functor == NULL || strstr(name, "25multi_tensor_apply_kernelI") == NULL) return other;
  const char type = functor[24];
  const int in_place = strncmp(functor + 25, "Li1ELi1ELi0EEEJSt4plusI", 23) == 0;
  return in_place && (type == 'f' || type == 'd') ? (Known){kernel, ADD_EACH, type} : other;
}

// --- What it does -----------------------------------------------------------------------------

static int on_the_device(uint64_t address) {
  return address >= emu_space_start() && address - emu_space_start() < emu_space_bytes();
}

// The size of an element is not known; a read of the whole meets a byte that is not known either
// way.
static void forget(int count, uint64_t at) {
  const int few = count >= 1 && count <= LARGEST_FILL_BYTES;
  if (few && on_the_device(at) && emu_contents_any(at, (uint64_t)count))
    emu_contents_forget(at, (uint64_t)count);
}

static void fill(char type, int count, const void* value, uint64_t at) {
  const uint64_t bytes = (uint64_t)count * size_of(type);
  if (count < 1 || !on_the_device(at)) return;
  if (bytes > LARGEST_FILL_BYTES) {
    emu_contents_clear(at, bytes);
  } else {
    emu_contents_fill(at, value, size_of(type), bytes);
  }
}

static void add_to(char type, unsigned char* values, uint64_t bytes, const void* amount) {
  for (uint64_t i = 0; i + size_of(type) <= bytes; i += size_of(type)) {
    union {
      float f;
      double d;
      uint32_t i;
      uint64_t l;
    } a, b;
    memcpy(&a, values + i, size_of(type));
    memcpy(&b, amount, size_of(type));
    switch (type) {
      case 'f': a.f += b.f; break;
      case 'd': a.d += b.d; break;
      case 'i': a.i += b.i; break;
      default: a.l += b.l; break;
    }
    memcpy(values + i, &a, size_of(type));
  }
}

// to = from + amount, where it is known what `from` holds.
static void add(char type, uint64_t count, uint64_t to, uint64_t from, const void* amount) {
  unsigned char values[LARGEST_COUNTERS_BYTES];
  const uint64_t bytes = count * size_of(type);
  if (!on_the_device(to) || !on_the_device(from)) return;
  if (bytes > sizeof values) {
    emu_contents_forget(to, bytes);
    return;
  }
  if (emu_must_defer((EmuSpan){from, bytes}, (EmuSpan){to, bytes})) return;
  if (!emu_contents_known(from, bytes)) {
    emu_contents_forget(to, bytes);
    return;
  }
  emu_contents_read(values, from, bytes);
  add_to(type, values, bytes, amount);
  emu_contents_write(to, values, bytes);
}

// CUDAFunctorOnSelf_add: what is added and a factor.
static void add_scaled(char type, int count, const void* functor, const uint64_t* addresses) {
  unsigned char amount[8];
  memcpy(amount, functor, size_of(type));
  const unsigned char* factor = (const unsigned char*)functor + size_of(type);
  double d = 0;
  float f = 0;
  int64_t l = 0;
  int32_t i = 0;
  switch (type) {
    case 'f': memcpy(&f, factor, 4); break;
    case 'd': memcpy(&d, factor, 8); break;
    case 'i': memcpy(&i, factor, 4); break;
    default: memcpy(&l, factor, 8); break;
  }
  const int is_one = d == 1 || f == 1 || l == 1 || i == 1;
  if (is_one && count > 0 && count <= LARGEST_COUNTERS_BYTES) {
    add(type, (uint64_t)count, addresses[0], addresses[1], amount);
  } else {
    forget(count, addresses[0]);
  }
}

// TensorListMetadata<1> (MultiTensorApply.cuh).
enum { MOST_TENSORS = 110, MOST_BLOCKS = 320, CHUNK = 65536 };
typedef struct {
  uint64_t addresses[MOST_TENSORS];
  int64_t counts[MOST_TENSORS];
  unsigned char tensor_of[MOST_BLOCKS];
  int chunk_of[MOST_BLOCKS];
} TensorList;

static void add_each(char type, unsigned blocks, const TensorList* list, const void* amount) {
  if (blocks > MOST_BLOCKS) return;
  for (unsigned i = 0; i < blocks; ++i) {
    const unsigned tensor = list->tensor_of[i];
    if (tensor >= MOST_TENSORS || list->chunk_of[i] != 0) continue;
    const int64_t count = list->counts[tensor];
    if (count < 1 || count > LARGEST_COUNTERS_BYTES) continue;
    add(type, (uint64_t)count, list->addresses[tensor], list->addresses[tensor], amount);
  }
}

// enum class OpType of CompareKernels.cu.
enum { GREATER_OR_EQUAL, GREATER, LESS_OR_EQUAL, LESS };

static unsigned char is_true(int operation, int64_t a, int64_t b) {
  switch (operation) {
    case GREATER_OR_EQUAL: return a >= b;
    case GREATER: return a > b;
    case LESS_OR_EQUAL: return a <= b;
    default: return a < b;
  }
}

// addresses: of the result and of the two operands. Whoever compares numbers wants to know, so that
// it may as well be waited here for what other processes send.
static void compare(int count, int operation, const uint64_t* addresses) {
  const uint64_t to = addresses[0], a = addresses[1], b = addresses[2];
  const int ours = count == 1 && on_the_device(to) && on_the_device(a) && on_the_device(b);
  if (ours) {
    emu_wait_for_contents((EmuSpan){a, 8});
    emu_wait_for_contents((EmuSpan){b, 8});
  }
  if (!ours || !emu_contents_known(a, 8) || !emu_contents_known(b, 8)) {
    forget(count, to);
    return;
  }
  int64_t first, second;
  emu_contents_read(&first, a, 8);
  emu_contents_read(&second, b, 8);
  const unsigned char result = is_true(operation, first, second);
  emu_contents_write(to, &result, 1);
}

// ReduceOp (Reduce.cuh): an empty functor, the identity, ReduceConfig of 64 bytes,
// OffsetCalculators for one and for two operands of 25 dimensions, the address of the input and
// that of the output.
typedef struct {
  uint32_t inputs, outputs;
  int contiguous;  // and all of it makes one output
  uint64_t from, to;
} Reduction;

enum {
  CALCULATOR_BYTES = 4 + 25 * 12 + 25 * 4,
  CALCULATOR_OF_TWO_BYTES = CALCULATOR_BYTES + 25 * 4,
  LARGEST_REDUCED_BYTES = 4096
};

static uint32_t u32_at(const unsigned char* at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// False when it is not on the device, that is not what was expected.
static int read_reduction(const unsigned char* at, unsigned size, Reduction* read) {
  const unsigned config = size < 4 ? 4 : 2 * size, dimensions = config + 64;
  const unsigned end = dimensions + CALCULATOR_BYTES + CALCULATOR_OF_TWO_BYTES;
  const unsigned addresses = (end + 7) / 8 * 8;
  read->inputs = u32_at(at + config + 4);
  read->outputs = u32_at(at + config + 8);
  const int dense = u32_at(at + dimensions) == 1 && u32_at(at + dimensions + 4 + 25 * 12) == size;
  read->contiguous = read->outputs == 1 && (read->inputs == 1 || dense);
  memcpy(&read->from, at + addresses, 8);
  memcpy(&read->to, at + addresses + 8, 8);
  return read->inputs >= 1 && read->outputs >= 1 && on_the_device(read->from) &&
         on_the_device(read->to);
}

// Reads what is reduced, once it is there; false when it is not known.
static int read_inputs(const Reduction* reduction, unsigned size, void* values) {
  const uint64_t bytes = (uint64_t)reduction->inputs * size;
  if (!reduction->contiguous || bytes > LARGEST_REDUCED_BYTES) return 0;
  emu_wait_for_contents((EmuSpan){reduction->from, bytes});
  if (!emu_contents_known(reduction->from, bytes)) return 0;
  emu_contents_read(values, reduction->from, bytes);
  return 1;
}

// Over what is known it is what it is. Over what kernels computed it is true: programs check with
// it that values are finite, equal or in range, and stop, or go on for ever, when they are not.
// That integers are equal is no such check: they are sizes or numbers of something, zeros here, and
// what follows counts on them (the sizes of a nested tensor in a Transformer's fast path).
static void all(const unsigned char* arguments, int of_equal_integers) {
  Reduction reduction;
  unsigned char values[LARGEST_REDUCED_BYTES], result = 1;
  if (!read_reduction(arguments, 1, &reduction) || reduction.outputs > LARGEST_FILL_BYTES) return;
  const int known = read_inputs(&reduction, 1, values);
  if (!known && of_equal_integers) result = 0;
  for (uint32_t i = 0; known && i < reduction.inputs; ++i) result &= values[i] != 0;
  emu_contents_fill(reduction.to, &result, 1, reduction.outputs);
  if (!known) emu_contents_forget(reduction.to, reduction.outputs);
}

static void sum(const unsigned char* arguments) {
  Reduction reduction;
  int64_t values[LARGEST_REDUCED_BYTES / 8], result = 0;
  if (!read_reduction(arguments, 8, &reduction)) return;
  if (!read_inputs(&reduction, 8, values)) {
    forget(reduction.outputs > LARGEST_FILL_BYTES ? 0 : (int)reduction.outputs, reduction.to);
    return;
  }
  for (uint32_t i = 0; i < reduction.inputs; ++i) result += values[i];
  emu_contents_write(reduction.to, &result, sizeof result);
}

void emu_compute(const char* kernel, unsigned blocks, void* const* arguments) {
  enum { SLOTS = 1024 };
  static __thread Known seen[SLOTS];
  if (kernel == NULL || arguments == NULL) return;
  Known* known = &seen[((uintptr_t)kernel >> 4) % SLOTS];
  if (known->kernel != kernel) *known = look_at(kernel);
  static __thread uint8_t before;
  const uint8_t last = before;
  before = known->meaning;
  switch (known->meaning) {
    case FILL:
      fill(known->type, *(const int*)arguments[0], arguments[1], *(const uint64_t*)arguments[2]);
      break;
    case ADD: add_scaled(known->type, *(const int*)arguments[0], arguments[1], arguments[2]); break;
    case ADD_EACH: add_each(known->type, blocks, arguments[0], arguments[3]); break;
    case COMPARE:
      compare(*(const int*)arguments[0], *(const int*)arguments[1], arguments[2]);
      break;
    case ALL: all(arguments[0], last == EQUAL); break;
    case SUM: sum(arguments[0]); break;
    case COUNT: emu_count_nonzero(kernel, arguments); break;
    case ADD_COUNTS: emu_add_counts(arguments); break;
    case WRITE: forget(*(const int*)arguments[0], *(const uint64_t*)arguments[2]); break;
    default: break;
  }
}
