// Answers to cudaDeviceGetAttribute and cuDeviceGetAttribute, which number their attributes alike.
#pragma once

// False for an attribute nobody has considered; *value is then 0, CUDA's "not supported".
int emu_attribute(int attribute, int device, int* value);
