# Sourced by the other scripts: where things are, how to speak, how to configure and build.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build  # as the presets say
self=$(basename "$0")

# Clones of this repository in different folders compile the same text: let them share what ccache keeps.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '%s: %s\n' "$self" "$*" >&2; }
die() { say "error: $*"; exit 2; }

# Prints a command as one could type it, then runs it.
show() { printf '\n$ %s\n' "$*" >&2; "$@"; }

# version_of LLVM -> 19: versions are stated once, in cmake/Versions.cmake.
version_of() {
  local value
  value=$(sed -n "s/^set(FORERUN_$1 \([^)]*\))$/\1/p" "$root/cmake/Versions.cmake")
  [ -n "$value" ] || die "cmake/Versions.cmake does not set FORERUN_$1"
  printf '%s\n' "$value"
}

# A file that includes LibTorch or Clang headers takes up to 3 GB to compile, so memory bounds the jobs too.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 3000000) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  [ "$cores" -le "$memory" ] && printf '%s\n' "$cores" || printf '%s\n' "$memory"
}

# Where setup found or put the site-packages folder that holds torch; empty before setup.
torch_folder() { cat "$build/setup/torch" 2>/dev/null || true; }

# build_preset PRESET: configures and builds it. CMake's chatter is shown only when something is wrong.
build_preset() {
  local preset=$1 torch log=$build/setup/configure.log
  torch=$(torch_folder)
  mkdir -p "$build/setup"
  printf '\n$ cmake --preset %s\n' "$preset" >&2
  if ! cmake -S "$root" --preset "$preset" ${torch:+"-DFORERUN_TORCH=$torch"} >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  grep -E '^--   ?[A-Za-z]+: O(N|FF)|Warning' "$log" >&2 || true
  show cmake --build --preset "$preset" --parallel "$(jobs)"
}
