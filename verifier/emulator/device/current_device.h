// What the calling thread uses: the device cudaSetDevice chose, and whether a stream captures.
#pragma once

int emu_current_device(void);
void emu_set_current_device(int device);

// Whether what is put on a stream now goes into a capture.
int emu_is_captured(void* stream_handle);
