// The few kernels of PyTorch whose results are kept, because programs steer by them: small fills
// (ones, full), counters (the step of an optimizer on the device, the batches a norm has seen),
// sums and comparisons of integers that came from the host (the sizes of objects that ranks send
// each other) and checks (`all`). Without them a first division by a step is one by zero.
//
// A kernel is known by its mangled name and takes its arguments by address. Layouts are those of
// ATen/native/cuda/{Loops,Reduce,MultiTensorApply}.cuh of PyTorch 2.6 to 2.11, which the wheels
// carry; what does not look like them is left alone.
#pragma once

// To be called at a launch that is not captured. Names are told apart by address: one that is
// passed must stay as it is.
void emu_compute(const char* kernel, unsigned blocks, void* const* arguments);
