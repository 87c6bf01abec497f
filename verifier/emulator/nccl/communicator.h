// What the files of the emulated NCCL share.
#pragma once

#include <nccl.h>

struct ncclComm {
  int ranks, rank, device;
};
