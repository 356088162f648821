#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every loader's libFuzzer target for the given number of seconds, starting from the files that ship with Epochcast.
set -eu
cd "$(dirname "$0")/.."
seconds=$1

mkdir -p build
CC=clang CXX=clang++ cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEPOCHCAST_SIM=OFF \
  -DEPOCHCAST_TESTS=OFF -DEPOCHCAST_FUZZ=ON >build/fuzz-configure.log
targets=$(basename -s .cpp tests/fuzz/fuzz_*.cpp)
# shellcheck disable=SC2086  # one word per target
cmake --build build/fuzz --target $targets
for name in $targets; do
  target=build/fuzz/$name
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  case $name in
    fuzz_platform) seeds=models/platforms ;;
    fuzz_network) seeds=models/networks ;;
    fuzz_dataset) seeds=models/datasets ;;
    fuzz_trace) seeds="traces tests/fuzz/seeds/$name" ;;
    fuzz_npy | fuzz_tensor) seeds=tests/core/tensors/data ;;
    fuzz_profile) seeds=tests/analysis/data ;;
    *) seeds=tests/fuzz/seeds/$name ;;
  esac
  echo "$name: $seconds s from $seeds"
  # shellcheck disable=SC2086  # one word per folder
  if ! "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/$name-" \
    -print_final_stats=1 "$corpus" $seeds 2>"build/fuzz/$name.log"; then
    tail -n 40 "build/fuzz/$name.log" >&2
    echo "$name: found a failure; the input is beside build/fuzz/$name-*" >&2
    exit 1
  fi
  grep -E 'stat::number_of_executed_units' "build/fuzz/$name.log"
done
echo "fuzz: no crash found"
