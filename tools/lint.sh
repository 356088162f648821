#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format on every source; clang-tidy on every source that does not need LibTorch, whose headers it cannot parse.
set -eu
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp')
clang-format --dry-run --Werror "${sources[@]}"
echo "clang-format: ${#sources[@]} files are formatted"

# Clang must read the same commands that GCC was given, warnings of GCC alone excepted.
cmake --preset release -B build/lint -DEPOCHCAST_REAL=ON >/dev/null
cmake --build build/lint --target epochcast_chakra_messages >/dev/null  # a generated header
mapfile -t checked < <(git ls-files 'core/*.cpp' 'collectives/*.cpp' 'strategies/*.cpp' 'sim/*.cpp' 'analysis/*.cpp' \
  'cli/*.cpp' 'rehearse/*.cpp' 'real/measure/*.cpp' 'real/data/*.cpp' 'real/mpi/*.cpp' 'real/run/*.cpp' |
  grep -Ev 'no_simulate_command|real/measure/(backward_layers|measure_batches)')
printf '%s\0' "${checked[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option 2>/dev/null ||
  { echo "clang-tidy: see above" >&2; exit 1; }
echo "clang-tidy: ${#checked[@]} files are clean"
