#include "verifier/emulator/nccl/alone.h"

#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/report.h"

static EmuRanks said(const char* word) {
  if (strcmp(word, "alone") == 0) return EMU_RANKS_ALONE;
  if (strcmp(word, "together") != 0)
    emu_say("FORERUN_EMULATOR_RANKS is '%s', neither alone nor together; taken as together", word);
  return EMU_RANKS_TOGETHER;
}

EmuRanks emu_ranks_expected(int ranks) {
  const char* word = getenv("FORERUN_EMULATOR_RANKS");
  if (word != NULL && word[0] != '\0') return said(word);
  const char* world = getenv("WORLD_SIZE");
  if (world == NULL || atoi(world) < 1) return EMU_RANKS_OPEN;
  return ranks > atoi(world) ? EMU_RANKS_ALONE : EMU_RANKS_TOGETHER;
}
