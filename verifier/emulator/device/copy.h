// Copies and fills between any two places, as unified addressing resolves them.
#pragma once

#include <stddef.h>
#include <stdint.h>

void emu_copy(void* to, const void* from, size_t bytes);
void emu_copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t rows);
void emu_fill(void* at, const void* pattern, size_t pattern_bytes, size_t bytes);
