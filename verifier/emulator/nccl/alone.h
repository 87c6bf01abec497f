// Whether the other ranks of a communicator will come. A program may be rank r of N by itself, with
// a store nobody else shares, to learn what one rank needs; then collectives act as if every rank
// held the same.
//
// FORERUN_EMULATOR_RANKS=alone or together decides. Without it:
//   - more ranks than WORLD_SIZE says there are: alone;
//   - as many as WORLD_SIZE says (torchrun sets it), or fewer: together;
//   - no WORLD_SIZE: alone as soon as no other process of the program is left that has loaded
//     PyTorch's CUDA libraries.
#pragma once

typedef enum { EMU_RANKS_ALONE, EMU_RANKS_TOGETHER, EMU_RANKS_OPEN } EmuRanks;
// EMU_RANKS_OPEN: the processes of the program decide.
EmuRanks emu_ranks_expected(int ranks);
