// How many blocks of a kernel one multiprocessor holds, by threads, blocks and shared memory.
#pragma once

#include <stddef.h>

int emu_blocks_per_multiprocessor(int threads_per_block, size_t shared_bytes);
