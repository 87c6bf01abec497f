#include "verifier/emulator/nccl/reduce.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NCCL's 8-bit floats, by number because older headers lack them (nccl.h, ncclDataType_t).
enum { FLOAT8_E4M3 = 10, FLOAT8_E5M2 = 11 };

size_t emu_nccl_type_bytes(ncclDataType_t type) {
  switch ((int)type) {
    case ncclInt8:
    case ncclUint8:
    case FLOAT8_E4M3:
    case FLOAT8_E5M2: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8;
    default: return 4;
  }
}

// --- Small floats: a sign, `exponent` bits with this bias, `mantissa` bits

typedef struct {
  int exponent, mantissa, bias;
  int has_infinity;  // e4m3 has none: its largest code but one is a number, the largest is not
} Format;
static const Format half = {5, 10, 15, 1}, bfloat = {8, 7, 127, 1}, e4m3 = {4, 3, 7, 0},
                    e5m2 = {5, 2, 15, 1};

static double decode(uint32_t bits, Format format) {
  const uint32_t top = (1u << format.exponent) - 1;
  const uint32_t fraction = bits & ((1u << format.mantissa) - 1);
  const uint32_t power = bits >> format.mantissa & top;
  const double sign = bits >> (format.exponent + format.mantissa) & 1 ? -1 : 1;
  const int special =
      format.has_infinity ? power == top : power == top && fraction + 1 == 1u << format.mantissa;
  if (special) return format.has_infinity && fraction == 0 ? sign * INFINITY : NAN;
  if (power == 0) return sign * ldexp(fraction, 1 - format.bias - format.mantissa);
  return sign *
         ldexp(fraction + (1u << format.mantissa), (int)power - format.bias - format.mantissa);
}

// To nearest, ties to even, by counting in units of the last place: the codes of a format are in
// the order of their values.
static uint32_t encode(double value, Format format) {
  const uint32_t sign = signbit(value) ? 1u << (format.exponent + format.mantissa) : 0;
  const uint32_t top = ((1u << format.exponent) - 1) << format.mantissa;
  const uint32_t not_a_number = top | ((1u << format.mantissa) - 1);
  const uint32_t largest = format.has_infinity ? top : not_a_number - 1;
  if (isnan(value)) return sign | not_a_number;
  if (isinf(value)) return sign | (format.has_infinity ? top : not_a_number);
  int power = 0;
  frexp(value, &power);
  int field = power - 1 + format.bias;
  if (field < 1) field = 1;
  const double units = nearbyint(fabs(value) * ldexp(1, format.bias + format.mantissa - field));
  if (field > 1 << format.exponent) return sign | (format.has_infinity ? top : not_a_number);
  const uint32_t code = ((uint32_t)(field - 1) << format.mantissa) + (uint32_t)units;
  return sign | (code > largest ? (format.has_infinity ? top : not_a_number) : code);
}

// --- Wide values

typedef enum { SIGNED, UNSIGNED, FLOATING } Class;
typedef union {
  int64_t i;
  uint64_t u;
  double f;
} Wide;

static Class class_of(ncclDataType_t type) {
  switch ((int)type) {
    case ncclInt8:
    case ncclInt32:
    case ncclInt64: return SIGNED;
    case ncclUint8:
    case ncclUint32:
    case ncclUint64: return UNSIGNED;
    default: return FLOATING;
  }
}

static Wide load(const void* values, size_t i, ncclDataType_t type) {
  switch ((int)type) {
    case ncclInt8: return (Wide){.i = ((const int8_t*)values)[i]};
    case ncclUint8: return (Wide){.u = ((const uint8_t*)values)[i]};
    case ncclInt32: return (Wide){.i = ((const int32_t*)values)[i]};
    case ncclUint32: return (Wide){.u = ((const uint32_t*)values)[i]};
    case ncclInt64: return (Wide){.i = ((const int64_t*)values)[i]};
    case ncclUint64: return (Wide){.u = ((const uint64_t*)values)[i]};
    case ncclFloat32: return (Wide){.f = ((const float*)values)[i]};
    case ncclFloat64: return (Wide){.f = ((const double*)values)[i]};
    case ncclFloat16: return (Wide){.f = decode(((const uint16_t*)values)[i], half)};
    case ncclBfloat16: return (Wide){.f = decode(((const uint16_t*)values)[i], bfloat)};
    case FLOAT8_E4M3: return (Wide){.f = decode(((const uint8_t*)values)[i], e4m3)};
    case FLOAT8_E5M2: return (Wide){.f = decode(((const uint8_t*)values)[i], e5m2)};
    default: return (Wide){.u = 0};
  }
}

static void store(void* values, size_t i, ncclDataType_t type, Wide value) {
  switch ((int)type) {
    case ncclInt8:
    case ncclUint8: ((uint8_t*)values)[i] = (uint8_t)value.u; break;
    case ncclInt32:
    case ncclUint32: ((uint32_t*)values)[i] = (uint32_t)value.u; break;
    case ncclInt64:
    case ncclUint64: ((uint64_t*)values)[i] = value.u; break;
    case ncclFloat32: ((float*)values)[i] = (float)value.f; break;
    case ncclFloat64: ((double*)values)[i] = value.f; break;
    case ncclFloat16: ((uint16_t*)values)[i] = (uint16_t)encode(value.f, half); break;
    case ncclBfloat16: ((uint16_t*)values)[i] = (uint16_t)encode(value.f, bfloat); break;
    case FLOAT8_E4M3: ((uint8_t*)values)[i] = (uint8_t)encode(value.f, e4m3); break;
    case FLOAT8_E5M2: ((uint8_t*)values)[i] = (uint8_t)encode(value.f, e5m2); break;
    default: break;
  }
}

// --- Reductions

struct EmuReduction {
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  Class class;
  int ranks;
  Wide values[];
};

EmuReduction* emu_reduction_begin(size_t count, ncclDataType_t type, ncclRedOp_t op) {
  EmuReduction* reduction = malloc(sizeof *reduction + count * sizeof(Wide));
  if (reduction == NULL) return NULL;
  *reduction = (EmuReduction){count, type, op, class_of(type), 0};
  return reduction;
}

static Wide power(Wide base, int times, Class class) {
  Wide result = class == FLOATING ? (Wide){.f = 1} : (Wide){.u = 1};
  for (int i = 0; i < times; ++i) {
    if (class == FLOATING) {
      result.f *= base.f;
    } else {
      result.u *= base.u;
    }
  }
  return result;
}

static Wide scaled(Wide value, int times, Class class) {
  return class == FLOATING ? (Wide){.f = value.f * times} : (Wide){.u = value.u * (uint64_t)times};
}

static int is_less(Wide a, Wide b, Class class) {
  return class == SIGNED ? a.i < b.i : class == UNSIGNED ? a.u < b.u : a.f < b.f;
}

// Unsigned arithmetic wraps as signed does in two's complement.
static Wide combined(Wide a, Wide b, ncclRedOp_t op, Class class) {
  switch (op) {
    case ncclProd: return class == FLOATING ? (Wide){.f = a.f * b.f} : (Wide){.u = a.u * b.u};
    case ncclMax: return is_less(a, b, class) ? b : a;
    case ncclMin: return is_less(b, a, class) ? b : a;
    default: return class == FLOATING ? (Wide){.f = a.f + b.f} : (Wide){.u = a.u + b.u};
  }
}

void emu_reduction_add(EmuReduction* reduction, const void* values, int times) {
  const ncclRedOp_t op = reduction->op;
  const Class class = reduction->class;
  for (size_t i = 0; i < reduction->count; ++i) {
    Wide value = load(values, i, reduction->type);
    if (times > 1 && op == ncclProd) value = power(value, times, class);
    if (times > 1 && op != ncclProd && op != ncclMax && op != ncclMin)
      value = scaled(value, times, class);
    reduction->values[i] =
        reduction->ranks == 0 ? value : combined(reduction->values[i], value, op, class);
  }
  reduction->ranks += times;
}

static Wide averaged(Wide sum, int ranks, Class class) {
  if (class == FLOATING) return (Wide){.f = sum.f / ranks};
  if (class == SIGNED) return (Wide){.i = sum.i / ranks};
  return (Wide){.u = sum.u / (uint64_t)ranks};
}

void emu_reduction_end(EmuReduction* reduction, void* result) {
  for (size_t i = 0; i < reduction->count; ++i) {
    const Wide value = reduction->op == ncclAvg
                           ? averaged(reduction->values[i], reduction->ranks, reduction->class)
                           : reduction->values[i];
    store(result, i, reduction->type, value);
  }
  free(reduction);
}

double emu_nccl_scalar(const void* value, ncclDataType_t type) {
  const Wide wide = load(value, 0, type);
  const Class class = class_of(type);
  return class == FLOATING ? wide.f : class == SIGNED ? (double)wide.i : (double)wide.u;
}

void emu_nccl_scale(void* values, size_t count, ncclDataType_t type, double scale) {
  const Class class = class_of(type);
  for (size_t i = 0; i < count; ++i) {
    Wide value = load(values, i, type);
    if (class == FLOATING) {
      value.f *= scale;
    } else {
      value.u *= (uint64_t)(int64_t)scale;
    }
    store(values, i, type, value);
  }
}
