// Arithmetic of reductions, over the types NCCL has. Sums are taken in double precision or 64-bit
// integers and rounded once, so that they do not depend on the order of the ranks.
#pragma once

#include <nccl.h>
#include <stddef.h>

size_t emu_nccl_type_bytes(ncclDataType_t type);

typedef struct EmuReduction EmuReduction;
// Null when memory is short.
EmuReduction* emu_reduction_begin(size_t count, ncclDataType_t type, ncclRedOp_t op);
// One rank's values, `times` ranks having the same.
void emu_reduction_add(EmuReduction* reduction, const void* values, int times);
// Writes the result and frees the reduction.
void emu_reduction_end(EmuReduction* reduction, void* result);

// Every value times a scalar of the same type, in place (ncclRedOpCreatePreMulSum).
void emu_nccl_scale(void* values, size_t count, ncclDataType_t type, double scale);
double emu_nccl_scalar(const void* value, ncclDataType_t type);
