// How many elements of a tensor are not zero, where they came from the host: PyTorch asks for it,
// and waits, to know the shape of nonzero() and of indexing with a mask.
//
// PyTorch counts with CUB's DeviceReduce over an iterator of NonZeroOp
// (ATen/native/cuda/Nonzero.cu, 2.6 to 2.11): one kernel for what one block can do, else one that
// leaves a partial sum a block and one that adds those. Which elements they are is computed by
// further kernels, and stays zero.
#pragma once

typedef enum {
  EMU_COUNTS_NOTHING,
  EMU_COUNTS_NONZERO,  // of a tensor, by one block or by many
  EMU_ADDS_COUNTS,     // the partial sums
} EmuCounting;

// By the mangled name of a kernel.
EmuCounting emu_counting(const char* kernel);
void emu_count_nonzero(const char* kernel, void* const* arguments);
void emu_add_counts(void* const* arguments);
