// PyTorch's live blocks: where each was allocated and what it turned out to be.
#pragma once

#include <stdint.h>

// Tells the log what the block at an address is, once; an address that is no block's is ignored.
void emu_block_categorise(uint64_t address, int category);
// How many blocks of parameters, optimizer state or buffers are gone: their owner has new ones.
uint64_t emu_blocks_replaced(void);
