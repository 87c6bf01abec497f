// What the files of the emulated CUDA driver share.
#pragma once

#include <cuda.h>

#include "verifier/emulator/device/memory.h"

// CUDA_SUCCESS, CUDA_ERROR_NO_DEVICE or CUDA_ERROR_INVALID_DEVICE.
CUresult emu_driver_check(CUdevice device);
CUresult emu_driver_result(int result);  // of device/memory.h
