// The driver's renamed entry points, from cuda.h: {"cuMemAlloc", "cuMemAlloc_v2"}. Generated; ends
// with {0, 0}.
#pragma once

typedef struct {
  const char *name, *exported;
} EmuAlias;
extern const EmuAlias emu_driver_aliases[];
