// What the files of the emulated CUDA runtime share.
#pragma once

#include <cuda_runtime_api.h>

// Notes an error for cudaGetLastError, as every call that fails does, and returns it.
cudaError_t emu_fail(cudaError_t error);

// Whether the calling thread may not wait for the device because of a capture, which is broken by
// it.
int emu_wait_breaks_captures(void);

// cudaSuccess, cudaErrorNoDevice or cudaErrorInvalidDevice.
cudaError_t emu_check_device(int device);
